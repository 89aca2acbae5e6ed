//! Encrypted connections to webhooks: a certificate is trusted if Go's client trusts it, and refused in its words.
//!
//! Source: `crypto/tls`, `crypto/x509`

use std::fmt;
use std::io::{ErrorKind, Read as _, Write as _};
use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{self, CryptoProvider};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore,
    SignatureScheme, StreamOwned,
};
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

use crate::webhook::Exchange;
use kube_registry::PeerCertificate;

/// Encrypts connections.
#[derive(Debug)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Returns what trusts the certificates of `exchange`, and shows its own if it has one.
    pub(super) fn new(exchange: &Exchange<'_>) -> Result<Self, String> {
        let roots = if exchange.ca_bundle.is_empty() {
            rustls_native_certs::load_native_certs().certs
        } else {
            CertificateDer::pem_slice_iter(exchange.ca_bundle).flatten().collect()
        };
        let provider = Arc::new(crypto::ring::default_provider());
        let verifier = Arc::new(Verifier { roots, provider: provider.clone() });
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("tls: {error}"))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let credentials = exchange.credentials.filter(|found| !found.certificate.is_empty());
        let Some(credentials) = credentials else {
            return Ok(Self(Arc::new(builder.with_no_client_auth())));
        };
        let chain = CertificateDer::pem_slice_iter(&credentials.certificate).flatten().collect();
        let key = PrivateKeyDer::from_pem_slice(&credentials.key)
            .map_err(|_| "tls: failed to find any PEM data in key input".to_owned())?;
        let config = builder.with_client_auth_cert(chain, key);
        config
            .map(|config| Self(Arc::new(config)))
            .map_err(|_| "tls: private key does not match public key".to_owned())
    }
}

impl<In: Transport> Connector<In> for Tls {
    type Out = Either<In, Encrypted>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(transport) = chained else { return Ok(None) };
        if !details.needs_tls() {
            return Ok(Some(Either::A(transport)));
        }
        let host = details.uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(host).map_err(|_| Error::Tls("invalid name of a host"))?;
        let mut connection = ClientConnection::new(self.0.clone(), name)?;
        let first = Arc::default();
        let transport: Box<dyn Transport> = Box::new(Watched { transport, first: Arc::clone(&first) });
        let mut socket = TransportAdapter::new(transport, details.current_time.clone());
        socket.set_timeout(details.timeout);
        let shaken = connection.complete_io(&mut socket);
        if shaken.is_err() && first.get().is_some_and(|first| first == b"HTTP/") {
            return Err(Error::Tls("http: server gave HTTP response to HTTPS client"));
        }
        shaken?;
        let config = details.config;
        let buffers = LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size());
        Ok(Some(Either::B(Encrypted { buffers, stream: StreamOwned::new(connection, socket) })))
    }
}

/// A connection that reads on if a write fails, as a server that ends it may have said why before, and that remembers
/// how it began, which tells another protocol.
#[derive(Debug)]
struct Watched<T> {
    transport: T,
    first: Arc<OnceLock<[u8; 5]>>,
}

impl<T: Transport> Transport for Watched<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.transport.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        match self.transport.transmit_output(amount, timeout) {
            Err(Error::Io(error))
                if [ErrorKind::BrokenPipe, ErrorKind::ConnectionReset].contains(&error.kind()) =>
            {
                Ok(())
            }
            other => other,
        }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let is_read = self.transport.await_input(timeout)?;
        if let Some(first) = self.transport.buffers().input().first_chunk() {
            self.first.get_or_init(|| *first);
        }
        Ok(is_read)
    }

    fn is_open(&mut self) -> bool {
        self.transport.is_open()
    }
}

/// An encrypted connection.
pub(super) struct Encrypted {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl fmt::Debug for Encrypted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Encrypted").finish_non_exhaustive()
    }
}

impl Transport for Encrypted {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.sock.set_timeout(timeout);
        Ok(self.stream.write_all(&self.buffers.output()[..amount])?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.sock.set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

/// Decides whether the certificate of a webhook is trusted.
#[derive(Debug)]
struct Verifier {
    roots: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Verifier {
    /// Returns why the certificate of `host` is not trusted. What is looked at first decides about the words.
    fn fault(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        host: &str,
        now: UnixTime,
    ) -> Option<String> {
        const NOT_FOR_SERVERS: &str = "x509: certificate specifies an incompatible key usage";
        let Some(leaf) = PeerCertificate::parse(certificate) else {
            return Some("x509: malformed certificate".to_owned());
        };
        let seconds = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
        if let Some(fault) = leaf.out_of_date(seconds).or_else(|| leaf.wrong_name(host)) {
            return Some(fault);
        }
        // A certificate that is among the trusted ones needs no authority.
        let is_trusted = self.roots.iter().any(|root| root == certificate)
            // Go accepts that of an authority from a server, which webpki refuses before it looks for a chain.
            || leaf.is_authority() && leaf.is_trusted(&parsed(&self.roots), &parsed(others), seconds);
        if !is_trusted && let Err(error) = self.verify_chain(certificate, others, now, seconds) {
            let is_for_others = matches!(
                error,
                rustls::Error::InvalidCertificate(
                    CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. }
                )
            );
            if is_for_others {
                return Some(NOT_FOR_SERVERS.to_owned());
            }
            let mut known = parsed(others);
            known.extend(parsed(&self.roots));
            return Some(leaf.unknown_authority(&known, seconds));
        }
        (!leaf.is_for_servers()).then(|| NOT_FOR_SERVERS.to_owned())
    }

    /// Checks that an authority that is trusted at this time has signed the certificate, directly or through `others`.
    fn verify_chain(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        now: UnixTime,
        seconds: i64,
    ) -> Result<(), rustls::Error> {
        let is_usable = |root: &&CertificateDer<'_>| {
            PeerCertificate::parse(root).is_some_and(|root| root.is_usable_authority(seconds))
        };
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.roots.iter().filter(is_usable).cloned());
        let algorithms = self.provider.signature_verification_algorithms.all;
        let certificate = ParsedCertificate::try_from(certificate)?;
        verify_server_cert_signed_by_trust_anchor(&certificate, &roots, others, now, algorithms)
    }
}

fn parsed<'a>(known: &'a [CertificateDer<'_>]) -> Vec<PeerCertificate<'a>> {
    known.iter().filter_map(|der| PeerCertificate::parse(der)).collect()
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match self.fault(certificate, others, &name.to_str(), now) {
            None => Ok(ServerCertVerified::assertion()),
            Some(fault) => Err(rustls::Error::General(format!("tls: failed to verify certificate: {fault}"))),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// Returns an error of an encrypted connection in Go's words.
pub(super) fn in_words(error: &rustls::Error) -> String {
    match error {
        rustls::Error::General(said) => said.clone(),
        rustls::Error::AlertReceived(alert) => format!("remote error: tls: {}", alert_in_words(*alert)),
        rustls::Error::InvalidMessage(_) => "tls: first record does not look like a TLS handshake".to_owned(),
        other => format!("tls: {other}"),
    }
}

/// Source: `alertText` of `crypto/tls`
fn alert_in_words(alert: AlertDescription) -> String {
    use AlertDescription as Alert;
    let text = match alert {
        Alert::CloseNotify => "close notify",
        Alert::UnexpectedMessage => "unexpected message",
        Alert::BadRecordMac => "bad record MAC",
        Alert::RecordOverflow => "record overflow",
        Alert::HandshakeFailure => "handshake failure",
        Alert::BadCertificate => "bad certificate",
        Alert::UnsupportedCertificate => "unsupported certificate",
        Alert::CertificateRevoked => "revoked certificate",
        Alert::CertificateExpired => "expired certificate",
        Alert::CertificateUnknown => "unknown certificate",
        Alert::IllegalParameter => "illegal parameter",
        Alert::UnknownCA => "unknown certificate authority",
        Alert::AccessDenied => "access denied",
        Alert::DecodeError => "error decoding message",
        Alert::DecryptError => "error decrypting message",
        Alert::ProtocolVersion => "protocol version not supported",
        Alert::InsufficientSecurity => "insufficient security level",
        Alert::InternalError => "internal error",
        Alert::UserCanceled => "user canceled",
        Alert::MissingExtension => "missing extension",
        Alert::UnsupportedExtension => "unsupported extension",
        Alert::UnrecognisedName => "unrecognized name",
        Alert::CertificateRequired => "certificate required",
        Alert::NoApplicationProtocol => "no application protocol",
        other => return format!("alert({})", u8::from(other)),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{
        BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    };

    use super::*;

    fn key() -> KeyPair {
        KeyPair::generate().expect("a key")
    }

    fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
        let mut params = named(&[], name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, key()).expect("a certificate")
    }

    fn named(hosts: &[&str], common_name: &str) -> CertificateParams {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(hosts).expect("names");
        params.distinguished_name.push(DnType::CommonName, common_name);
        params
    }

    /// Returns why the certificate is refused in the year 2000 and the years after it.
    fn fault(
        certificate: &CertificateDer<'static>,
        root: &CertificateDer<'static>,
        host: &str,
        years: u64,
    ) -> String {
        let provider = Arc::new(crypto::ring::default_provider());
        let now = UnixTime::since_unix_epoch(Duration::from_secs(946_684_800 + years * 365 * 86_400));
        let verifier = Verifier { roots: vec![root.clone()], provider };
        verifier.fault(certificate, &[], host, now).unwrap_or_default()
    }

    /// Expected texts are those of Go 1.26.
    #[test]
    fn certificates_are_refused_in_the_words_of_go() {
        let (one, other, same) = (authority("one"), authority("other"), authority("one"));
        let of = |params: CertificateParams| params.signed_by(&key(), &one).expect("one").der().clone();
        let is = |certificate: &CertificateDer<'static>, host: &str, wanted: &str| {
            assert_eq!(fault(certificate, one.der(), host, 0), wanted, "{host}");
        };
        let hook = of(named(&["hook.shop.svc", "*.example.com", "10.0.0.1"], "hook"));
        for host in ["hook.shop.svc", "HOOK.shop.svc", "a.example.com", "10.0.0.1"] {
            is(&hook, host, "");
        }
        let names = "x509: certificate is valid for hook.shop.svc, *.example.com, not";
        is(&hook, "hook.other.svc", &format!("{names} hook.other.svc"));
        is(&hook, "a.b.example.com", &format!("{names} a.b.example.com"));
        is(&hook, "10.0.0.2", "x509: certificate is valid for 10.0.0.1, not 10.0.0.2");
        let no_addresses =
            "x509: cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs";
        is(&of(named(&["hook.shop.svc"], "hook")), "10.0.0.1", no_addresses);
        let old = of(named(&[], "hook.shop.svc"));
        is(&old, "hook.shop.svc", "x509: certificate relies on legacy Common Name field, use SANs instead");
        let nothing = "x509: certificate is not valid for any names, but wanted to match hook.other.svc";
        is(&old, "hook.other.svc", nothing);
        let mut of_a_client = named(&["hook.shop.svc"], "hook");
        of_a_client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let unusable = "x509: certificate specifies an incompatible key usage";
        is(&of(of_a_client), "hook.shop.svc", unusable);
        let unknown = "x509: certificate signed by unknown authority";
        assert_eq!(fault(&hook, other.der(), "hook.shop.svc", 0), unknown);
        assert_eq!(
            fault(&hook, same.der(), "hook.shop.svc", 0),
            format!(
                "{unknown} (possibly because of \"x509: ECDSA verification failure\" while trying to verify candidate \
                 authority certificate \"one\")"
            )
        );
    }

    /// An authority, and a certificate that it signed with SHA-1, by `openssl`.
    const SIGNED_WITH_SHA1: [&str; 2] = [
        "-----BEGIN CERTIFICATE-----\n\
         MIIBcjCCARmgAwIBAgIUOwxy9zXJn7ZDONBi+FY3uebpPA4wCgYIKoZIzj0EAwIwDjEMMAoGA1UEAwwDb2xkMCAXDTI2MTEyNzAz\n\
         NDkzNFoYDzIxMjYxMTAzMDM0OTM0WjAOMQwwCgYDVQQDDANvbGQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASUZXmZGv0pTTgG\n\
         ftwFCtdtFIkIPNncM7yo2/dZcMVxg3ObVclvNy3EC5ZU0E2Wr795/tBxiMJ5rrBhoP9/C5jzo1MwUTAdBgNVHQ4EFgQURyW0JFoy\n\
         WgO5vi9aYC3/Nxhit3EwHwYDVR0jBBgwFoAURyW0JFoyWgO5vi9aYC3/Nxhit3EwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD\n\
         AgNHADBEAiAJK+kAp4Ulh3Hyf5vI0I7o3fYPThf+Cls0r+drsKh83QIgW79yKdqevACZUHgbGXh3p4P1nE65Onk/ZC4noOpoL68=\n\
         -----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n\
         MIIBezCCASKgAwIBAgIUWLKzmF+Dlys6xJwPQgpE0ymZU/cwCQYHKoZIzj0EATAOMQwwCgYDVQQDDANvbGQwIBcNMjYxMTI3MDM0\n\
         OTM0WhgPMjEyNjExMDMwMzQ5MzRaMA8xDTALBgNVBAMMBGhvb2swWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASzY24CPgYZR2tT\n\
         iMnZ8HJBHXueEBlwKNmGWu/+KNfDW5/1/9ZUtwTaZ1DJya0kkMT3NQKd/vUSHIqP0jDOSTRho1wwWjAYBgNVHREEETAPgg1ob29r\n\
         LnNob3Auc3ZjMB0GA1UdDgQWBBQoXzYtGgJMRf9rShWtkP3AmWskejAfBgNVHSMEGDAWgBRHJbQkWjJaA7m+L1pgLf83GGK3cTAJ\n\
         BgcqhkjOPQQBA0gAMEUCIQDzoaiFtLS9mC/2ADxwn63DK9HhKPRbo6YUGJl5F5AFeAIgJ7e/sIaMvU50VN4dXV5UQvALlACLWWV/\n\
         pEr5QD1eidQ=\n\
         -----END CERTIFICATE-----",
    ];

    #[test]
    fn a_weak_signature_is_named() {
        let [authority, hook] = SIGNED_WITH_SHA1
            .map(|pem| CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate"));
        assert_eq!(
            fault(&hook, &authority, "hook.shop.svc", 27),
            "x509: certificate signed by unknown authority (possibly because of \"x509: cannot verify signature: \
             insecure algorithm ECDSA-SHA1\" while trying to verify candidate authority certificate \"old\")"
        );
    }

    #[test]
    fn times_are_looked_at_first() {
        let mut params = named(&["hook.shop.svc"], "hook");
        params.not_before = rcgen::date_time_ymd(2010, 1, 1);
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        let mut expiring = named(&[], "expiring");
        expiring.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        expiring.not_after = rcgen::date_time_ymd(2015, 1, 1);
        let authority = CertifiedIssuer::self_signed(expiring, key()).expect("a certificate");
        let hook = params.signed_by(&key(), &authority).expect("a certificate").der().clone();
        let invalid = "x509: certificate has expired or is not yet valid: current time";
        let fault = |host: &str, years: u64| fault(&hook, authority.der(), host, years);
        assert_eq!(
            fault("other", 0),
            format!("{invalid} 2000-01-01T00:00:00Z is before 2010-01-01T00:00:00Z")
        );
        assert_eq!(
            fault("other", 25),
            format!("{invalid} 2024-12-25T00:00:00Z is after 2020-01-01T00:00:00Z")
        );
        assert_eq!(fault("hook.shop.svc", 12), "");
        assert_eq!(
            fault("hook.shop.svc", 16),
            format!(
                "x509: certificate signed by unknown authority (possibly because of \"{invalid} 2015-12-28T00:00:00Z \
                 is after 2015-01-01T00:00:00Z\" while trying to verify candidate authority certificate \
                 \"expiring\")"
            )
        );
    }

    #[test]
    fn a_certificate_vouches_for_itself() {
        let mut params = named(&["hook.shop.svc"], "hook");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let own = params.self_signed(&key()).expect("a certificate").der().clone();
        assert_eq!(fault(&own, &own, "hook.shop.svc", 0), "");
    }

    #[test]
    fn a_server_may_have_the_certificate_of_an_authority() {
        let (root, other) = (authority("root"), authority("other"));
        let of_authority = |hosts: &[&str], name: &str| {
            let mut params = named(hosts, name);
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params
        };
        let between = CertifiedIssuer::signed_by(of_authority(&[], "between"), key(), &root).expect("one");
        let hook = of_authority(&["hook.shop.svc"], "hook");
        let direct = hook.signed_by(&key(), &root).expect("one").der().clone();
        let indirect = hook.signed_by(&key(), &between).expect("one").der().clone();
        assert_eq!(fault(&direct, root.der(), "hook.shop.svc", 0), "");
        let unknown = "x509: certificate signed by unknown authority";
        assert_eq!(fault(&direct, other.der(), "hook.shop.svc", 0), unknown);
        assert_eq!(fault(&indirect, root.der(), "hook.shop.svc", 0), unknown);
        let provider = Arc::new(crypto::ring::default_provider());
        let verifier = Verifier { roots: vec![root.der().clone()], provider };
        let now = UnixTime::since_unix_epoch(Duration::from_secs(946_684_800));
        assert_eq!(verifier.fault(&indirect, &[between.der().clone()], "hook.shop.svc", now), None);
    }
}
