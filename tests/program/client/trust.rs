//! The servers that a client trusts.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Returns the configuration of a client that trusts the servers of an authority, whose certificate is PEM.
pub(crate) fn trusting(authority: &[u8]) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority).expect("PEM")).expect("an authority");
    let provider = rustls::crypto::ring::default_provider();
    ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth()
}
