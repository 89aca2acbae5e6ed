//! PKCS#10 certificate signing requests.
//!
//! Source: `certificates.ParseCSR` of `k8s.io/kubernetes/pkg/apis/certificates`. Deliberately absent: the check that
//! the key in the request made the signature, and the texts of Go's parser about what cannot be parsed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::{Decode, Tag, Tagged};
use x509_cert::request::CertReq;

use kube_api::pem;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const ORGANIZATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.10");

/// The subject of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The last common name; the user name of a client.
    pub common_name: String,
    /// The organizations; the groups of a client.
    pub organizations: Vec<String>,
}

impl Subject {
    /// Returns the subject of the request in `spec.request` of a `CertificateSigningRequest`: base64 of a PEM block.
    ///
    /// # Errors
    ///
    /// Returns why there is none, in the server's words if it has its own.
    pub fn of_request(request: &str) -> Result<Self, String> {
        let text = STANDARD.decode(request).unwrap_or_default();
        let block = pem::blocks(&String::from_utf8_lossy(&text)).into_iter().next();
        let Some(block) = block.filter(|block| block.kind == "CERTIFICATE REQUEST") else {
            return Err("PEM block type must be CERTIFICATE REQUEST".to_owned());
        };
        let request = CertReq::from_der(&block.bytes).map_err(|error| format!("asn1: {error}"))?;
        let mut subject = Self::default();
        for attribute in request.info.subject.iter() {
            match attribute.oid {
                COMMON_NAME => subject.common_name = text_of(attribute),
                ORGANIZATION => subject.organizations.push(text_of(attribute)),
                _ => {}
            }
        }
        Ok(subject)
    }
}

/// Returns the text of an attribute, of any of the string types.
fn text_of(attribute: &AttributeTypeAndValue) -> String {
    let bytes = attribute.value.value();
    match attribute.value.tag() {
        Tag::BmpString => {
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            String::from_utf16_lossy(&units)
        }
        Tag::TeletexString => bytes.iter().copied().map(char::from).collect(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JANE: &str = include_str!("../testdata/certificates/developers.csr");

    fn parsed(text: &str) -> Result<Subject, String> {
        Subject::of_request(&STANDARD.encode(text))
    }

    #[test]
    fn reads_the_subject() {
        let jane = Subject { common_name: "jane".to_owned(), organizations: vec!["developers".to_owned()] };
        assert_eq!(parsed(JANE), Ok(jane.clone()));
        assert_eq!(parsed(&format!("for jane:\n{JANE}")), Ok(jane));
    }

    #[test]
    fn says_why_there_is_none() {
        let wrong_type = Err("PEM block type must be CERTIFICATE REQUEST".to_owned());
        assert_eq!(parsed("hello"), wrong_type);
        assert_eq!(parsed(&JANE.replace(" REQUEST", "")), wrong_type);
        let broken = "-----BEGIN CERTIFICATE REQUEST-----\nZm9v\n-----END CERTIFICATE REQUEST-----";
        assert!(parsed(broken).unwrap_err().starts_with("asn1: "));
        assert_eq!(Subject::of_request("%"), wrong_type);
    }
}
