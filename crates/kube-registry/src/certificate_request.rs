//! PKCS#10 certificate signing requests.
//!
//! Source: `certificates.ParseCSR` of `k8s.io/kubernetes/pkg/apis/certificates`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::x509::request::Request;
use kube_api::pem;

/// `2.5.4.3`
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// `2.5.4.10`
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];

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
    /// Returns why there is none, in the server's words.
    pub fn of_request(request: &str) -> Result<Self, String> {
        with_request(request, |request| {
            let mut subject = Self::default();
            for (attribute, text) in &request.subject {
                match *attribute {
                    COMMON_NAME => subject.common_name.clone_from(text),
                    ORGANIZATION => subject.organizations.push(text.clone()),
                    _ => {}
                }
            }
            Ok(subject)
        })
    }
}

/// Checks a request like that of [`Subject::of_request`], and that its key made its signature.
///
/// # Errors
///
/// Returns what is wrong, in the server's words.
pub(crate) fn verify(request: &str) -> Result<(), String> {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a path has no lifetime of its own")]
    with_request(request, |request| request.check_signature())
}

fn with_request<T>(request: &str, read: impl FnOnce(&Request<'_>) -> Result<T, String>) -> Result<T, String> {
    let text = STANDARD.decode(request).unwrap_or_default();
    let block = pem::blocks(&String::from_utf8_lossy(&text)).into_iter().next();
    let Some(block) = block.filter(|block| block.kind == "CERTIFICATE REQUEST") else {
        return Err("PEM block type must be CERTIFICATE REQUEST".to_owned());
    };
    read(&Request::parse(&block.bytes)?)
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
        let broken = "-----BEGIN CERTIFICATE REQUEST-----\nMG8=\n-----END CERTIFICATE REQUEST-----";
        assert_eq!(parsed(broken), Err("asn1: syntax error: data truncated".to_owned()));
        assert_eq!(Subject::of_request("%"), wrong_type);
    }
}
