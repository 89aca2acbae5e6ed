//! The certificates that a server makes when it starts.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::PrivateKeyDer;

/// The names by which clients may reach the server.
const NAMES: [&str; 5] = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
];

/// What clients that speak HTTP/2 name it when they shake hands.
pub(super) const HTTP2: &[u8] = b"h2";

/// What the server shows, and what clients trust.
pub(super) struct Certificates {
    pub(super) server: Arc<ServerConfig>,
    /// The certificate of the authority, as PEM.
    pub(super) authority: String,
}

impl Certificates {
    /// Makes certificates of a server at `address`.
    pub(super) fn make(address: IpAddr, provider: Arc<CryptoProvider>) -> io::Result<Self> {
        let authority_key = KeyPair::generate().map_err(io::Error::other)?;
        let mut authority = CertificateParams::default();
        authority.distinguished_name.push(DnType::CommonName, "kadmit");
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let authority_certificate = authority.self_signed(&authority_key).map_err(io::Error::other)?;
        let issuer = Issuer::new(authority, authority_key);

        let names = NAMES.into_iter().map(str::to_owned);
        let addresses = ["127.0.0.1".to_owned(), "::1".to_owned(), address.to_string()];
        let mut server =
            CertificateParams::new(names.chain(addresses).collect::<Vec<_>>()).map_err(io::Error::other)?;
        server.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        server.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = server.signed_by(&key, &issuer).map_err(io::Error::other)?;

        let chain = vec![certificate.der().clone()];
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(io::Error::other)?;
        config.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(Self { server: Arc::new(config), authority: authority_certificate.pem() })
    }
}
