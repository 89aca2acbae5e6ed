//! The scripted server of a case over HTTPS, on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use super::script::Script;

/// A server that answers according to a script.
pub(crate) struct Server {
    address: String,
    script: Arc<Mutex<Arc<Script>>>,
}

/// Certificates for 127.0.0.1 and a Service, and their authority.
struct Certificates {
    authority: String,
    /// That of a server that any client may call, and of one for those that show a certificate.
    configs: [Arc<ServerConfig>; 2],
    /// The certificate of the client, and its key, in PEM.
    client: (String, String),
}

fn certificates() -> &'static Certificates {
    static CERTIFICATES: OnceLock<Certificates> = OnceLock::new();
    CERTIFICATES.get_or_init(|| {
        let key = || KeyPair::generate().expect("a key");
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, key()).expect("a certificate");
        let own = key();
        let names =
            CertificateParams::new(vec!["127.0.0.1".to_owned(), "hook.shop.svc".to_owned()]).expect("names");
        let certificate = names.signed_by(&own, &authority).expect("a certificate");
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).expect("an authority");
        let roots = Arc::new(roots);
        let configs = [true, false].map(|allows_others| {
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone());
            let verifier = if allows_others { verifier.allow_unauthenticated() } else { verifier };
            let config = ServerConfig::builder_with_provider(provider.clone())
                .with_safe_default_protocol_versions()
                .expect("versions of TLS")
                .with_client_cert_verifier(verifier.build().expect("a verifier of clients"))
                .with_single_cert(vec![certificate.der().clone()], private.clone_key())
                .expect("a certificate with its key");
            Arc::new(config)
        });
        let own = key();
        let shown = CertificateParams::default().signed_by(&own, &authority).expect("a certificate");
        let client = (shown.pem(), own.serialize_pem());
        Certificates { authority: authority.pem(), configs, client }
    })
}

impl Server {
    /// Starts on a free port. It ends with the tests.
    pub(crate) fn start() -> Self {
        Self::start_with(&certificates().configs[0])
    }

    /// Starts a server that refuses clients without a certificate.
    pub(crate) fn start_for_known_clients() -> Self {
        Self::start_with(&certificates().configs[1])
    }

    fn start_with(config: &'static Arc<ServerConfig>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let script = Arc::new(Mutex::new(Arc::new(Script::default())));
        let shared = Arc::clone(&script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = shared.lock().expect("no poison").clone();
                // A client that does not trust the server hangs up.
                thread::spawn(move || drop(serve(stream, config, &script)));
            }
        });
        Self { address, script }
    }

    /// Answers according to `script` from now on.
    pub(crate) fn answer_with(&self, script: Arc<Script>) {
        *self.script.lock().expect("no poison") = script;
    }

    /// Returns `text` of a case with this server's address.
    pub(crate) fn named_in(&self, text: &str) -> String {
        let bundle = STANDARD.encode(&certificates().authority);
        text.replace("$WEBHOOK", &format!("https://{}", self.address)).replace("$CA_BUNDLE", &bundle)
    }

    /// Returns a client certificate that the server accepts, and its key, in PEM.
    pub(crate) fn client() -> &'static (String, String) {
        &certificates().client
    }

    /// Returns the authority of its certificate, in PEM.
    pub(crate) fn authority() -> &'static str {
        &certificates().authority
    }
}

/// The path that requires a client certificate.
const FOR_KNOWN_CLIENTS: &str = "/known";

/// The path whose answers are packed, if the client can unpack them.
const PACKED: &str = "/packed";

/// Answers the requests of one connection.
fn serve(stream: TcpStream, config: &Arc<ServerConfig>, script: &Script) -> std::io::Result<()> {
    let connection = ServerConnection::new(config.clone()).map_err(std::io::Error::other)?;
    let mut reader = BufReader::new(StreamOwned::new(connection, stream));
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let path = head.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
        let lines = head.lines().filter_map(|line| line.split_once(':'));
        let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = lengths.next().and_then(|(_, length)| length.trim().parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        if path == FOR_KNOWN_CLIENTS && reader.get_ref().conn.peer_certificates().is_none() {
            return Ok(());
        }
        let (delay, reply) = script.answer(path, &serde_json::from_slice(&body)?);
        thread::sleep(Duration::from_secs(delay));
        let is_packed = path == PACKED && head.to_ascii_lowercase().contains("accept-encoding: gzip");
        let mut body = reply.body;
        if is_packed {
            let mut packer = GzEncoder::new(Vec::new(), Compression::default());
            packer.write_all(&body)?;
            body = packer.finish()?;
        }
        let encoding = if is_packed { "Content-Encoding: gzip\r\n" } else { "" };
        let stream = reader.get_mut();
        write!(
            stream,
            "HTTP/1.1 {} Scripted\r\nContent-Type: {}\r\n{encoding}Content-Length: {}\r\n\r\n",
            reply.status,
            reply.content_type,
            body.len(),
        )?;
        stream.write_all(&body)?;
        stream.flush()?;
    }
}
