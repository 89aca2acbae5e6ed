//! Calls webhooks over HTTPS. No other module opens a connection.
//!
//! No proxy is used, no redirect followed, and no answer read beyond its limit. Errors are those of Go's client.

use std::collections::BTreeMap;
use std::error::Error as _;
use std::io::Read as _;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError};
use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{Certificate, ClientCert, PrivateKey, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

use crate::webhook::{Client, Credentials, Exchange, LIMIT, Reply, Services};
use gotext::quote;

/// Calls webhooks for real.
#[derive(Debug, Default)]
pub struct Https {
    services: Services,
    /// Agents by trusted certificates and credentials, so that connections are kept.
    agents: Mutex<BTreeMap<Trust, Agent>>,
}

/// The certificates that a webhook's may be signed by, and the credentials of the caller.
type Trust = (Vec<u8>, Option<Credentials>);

impl Https {
    /// Returns a client that calls the webhooks of Services at the addresses that `services` have.
    pub fn new(services: Services) -> Self {
        Self { services, agents: Mutex::default() }
    }

    fn agent(&self, exchange: &Exchange<'_>) -> Result<Agent, String> {
        let key = (exchange.ca_bundle.to_vec(), exchange.credentials.cloned());
        let mut agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = agents.get(&key) {
            return Ok(agent.clone());
        }
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("kadmit/", env!("CARGO_PKG_VERSION")))
            .accept("application/json, */*")
            .tls_config(tls(exchange)?)
            .build();
        let places = Places(self.services.clone());
        let agent = Agent::with_parts(config, DefaultConnector::default(), places);
        agents.insert(key, agent.clone());
        Ok(agent)
    }
}

impl Client for Https {
    fn is_remote(&self) -> bool {
        true
    }

    fn post(&self, exchange: &Exchange<'_>) -> Result<Reply, String> {
        let failed = |reason: String| format!("Post {}: {reason}", quote(exchange.url));
        let url = match exchange.service {
            Some((namespace, name, port)) => match self.services.place(namespace, name, port) {
                Some(place) if place.is_plain => exchange.url.replacen("https://", "http://", 1),
                Some(_) => exchange.url.to_owned(),
                None if exchange.has_service => {
                    let service = quote(&format!("{namespace}/{name}"));
                    return Err(failed(format!(
                        "service {service} is in the cluster, but no --webhook-service says where it can be reached"
                    )));
                }
                None => {
                    return Err(failed(format!("service {} not found", quote(name))));
                }
            },
            None => exchange.url.to_owned(),
        };
        let agent = self.agent(exchange).map_err(failed)?;
        let mut request = agent.post(&url).header("content-type", "application/json");
        if let Some(credentials) = exchange.credentials.filter(|found| !found.authorization.is_empty()) {
            request = request.header("authorization", &credentials.authorization);
        }
        if exchange.timeout > 0 {
            let timeout = Some(Duration::from_secs(exchange.timeout));
            request = request.config().timeout_global(timeout).build();
        }
        let said = |error: &Error| failed(in_words(error, &url, &self.services));
        let mut response =
            request.send(exchange.body.to_string().as_bytes()).map_err(|error| said(&error))?;
        let content_type = response.headers().get("content-type");
        let content_type = content_type.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        let status = response.status().as_u16();
        let mut body = Vec::new();
        let limit = u64::try_from(LIMIT).unwrap_or(u64::MAX) + 1;
        let read = response.body_mut().as_reader().take(limit).read_to_end(&mut body);
        read.map_err(|error| said(&Error::Io(error)))?;
        Ok(Reply { status, content_type, body: String::from_utf8_lossy(&body).into_owned() })
    }
}

/// Returns the trusted certificates and the client's own.
fn tls(exchange: &Exchange<'_>) -> Result<TlsConfig, String> {
    let mut roots = Vec::new();
    if exchange.ca_bundle.is_empty() {
        let system = rustls_native_certs::load_native_certs();
        roots.extend(system.certs.iter().map(|found| Certificate::from_der(found).to_owned()));
    } else {
        for item in ureq::tls::parse_pem(exchange.ca_bundle) {
            if let Ok(ureq::tls::PemItem::Certificate(found)) = item {
                roots.push(found);
            }
        }
        if roots.is_empty() {
            return Err("unable to load root certificates: unable to parse bytes as PEM block".to_owned());
        }
    }
    let mut client = None;
    if let Some(credentials) = exchange.credentials.filter(|found| !found.certificate.is_empty()) {
        let mut chain = Vec::new();
        for item in ureq::tls::parse_pem(&credentials.certificate) {
            if let Ok(ureq::tls::PemItem::Certificate(found)) = item {
                chain.push(found);
            }
        }
        let key = PrivateKey::from_pem(&credentials.key)
            .map_err(|_| "tls: failed to find any PEM data in key input".to_owned())?;
        client = Some(ClientCert::new_with_certs(&chain, key));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .client_cert(client)
        .build())
}

/// A resolver that finds Services at the addresses that the user gave, and all others as the system does.
#[derive(Debug)]
struct Places(Services);

impl Resolver for Places {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let address = self.0.address(&authority(uri));
        let found = address.to_socket_addrs().map_err(|_| Error::HostNotFound)?;
        let mut addresses = self.empty();
        for address in found.take(MOST_ADDRESSES) {
            addresses.push(address);
        }
        if addresses.is_empty() { Err(Error::HostNotFound) } else { Ok(addresses) }
    }
}

/// The number of addresses of one host that are tried.
const MOST_ADDRESSES: usize = 8;

/// Returns host and port of `uri`.
fn authority(uri: &Uri) -> String {
    let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("http") { 80 } else { 443 });
    format!("{}:{port}", uri.host().unwrap_or_default())
}

/// Returns why there is no answer, in Go's words.
fn in_words(error: &Error, url: &str, services: &Services) -> String {
    let uri: Uri = url.parse().unwrap_or_default();
    let address = services.address(&authority(&uri));
    let dialed = || {
        let found = address.to_socket_addrs().ok().and_then(|mut found| found.next());
        found.map_or_else(|| address.clone(), |found: SocketAddr| found.to_string())
    };
    match error {
        Error::Timeout(_) => "context deadline exceeded".to_owned(),
        Error::HostNotFound => {
            let host = address.rsplit_once(':').map_or(&*address, |(host, _)| host);
            format!("dial tcp: lookup {host}: no such host")
        }
        Error::Rustls(error) => tls_error(error, uri.host().unwrap_or_default()),
        Error::Io(error) => {
            let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
            if let Some(error) = tls {
                return tls_error(error, uri.host().unwrap_or_default());
            }
            // An error in reading a response is a ureq error inside an I/O error.
            if let Some(Error::Timeout(_)) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
                return "context deadline exceeded".to_owned();
            }
            match error.kind() {
                std::io::ErrorKind::ConnectionRefused => {
                    format!("dial tcp {}: connect: connection refused", dialed())
                }
                std::io::ErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
                std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionAborted => "EOF".to_owned(),
                std::io::ErrorKind::TimedOut => "context deadline exceeded".to_owned(),
                _ => error.source().map_or_else(|| error.to_string(), ToString::to_string),
            }
        }
        Error::Protocol(_) => "EOF".to_owned(),
        other => other.to_string(),
    }
}

fn tls_error(error: &rustls::Error, host: &str) -> String {
    let verify = |reason: String| format!("tls: failed to verify certificate: x509: {reason}");
    match error {
        rustls::Error::InvalidCertificate(error) => verify(match error {
            CertificateError::UnknownIssuer => "certificate signed by unknown authority".to_owned(),
            CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
                "certificate specifies an incompatible key usage".to_owned()
            }
            CertificateError::ExpiredContext { time, not_after } => out_of_date(*time, "after", *not_after),
            CertificateError::NotValidYetContext { time, not_before } => {
                out_of_date(*time, "before", *not_before)
            }
            CertificateError::Expired | CertificateError::NotValidYet => {
                "certificate has expired or is not yet valid".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                not_valid_for(error, host)
            }
            other => other.to_string(),
        }),
        rustls::Error::AlertReceived(alert) => format!("remote error: tls: {}", alert_in_words(*alert)),
        rustls::Error::InvalidMessage(_) => "http: server gave HTTP response to HTTPS client".to_owned(),
        other => format!("tls: {other}"),
    }
}

/// Returns that a certificate is not valid at `time`, which is on this side of `limit`.
fn out_of_date(time: UnixTime, side: &str, limit: UnixTime) -> String {
    const EPOCH: &str = "1970-01-01T00:00:00Z";
    let written =
        |time: UnixTime| gotext::time::after(EPOCH, i64::try_from(time.as_secs()).unwrap_or_default());
    format!(
        "certificate has expired or is not yet valid: current time {} is {side} {}",
        written(time),
        written(limit)
    )
}

fn not_valid_for(error: &CertificateError, host: &str) -> String {
    let CertificateError::NotValidForNameContext { presented, .. } = error else {
        return format!("certificate is not valid for {host}");
    };
    let is_address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
    // `DnsName("a.example.com")`, `IpAddress(127.0.0.1)`
    let inner = |name: &String| {
        let inner = name.split_once('(').map_or(name.as_str(), |(_, inner)| inner);
        inner.trim_end_matches(')').trim_matches('"').to_owned()
    };
    let wanted = presented.iter().filter(|name| name.starts_with("IpAddress") == is_address);
    let names: Vec<String> = wanted.map(inner).collect();
    match (names.is_empty(), is_address) {
        (true, true) => {
            format!("cannot validate certificate for {host} because it doesn't contain any IP SANs")
        }
        (true, false) => format!("certificate is not valid for any names, but wanted to match {host}"),
        (false, _) => format!("certificate is valid for {}, not {host}", names.join(", ")),
    }
}

fn alert_in_words(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::BadCertificate => "bad certificate".to_owned(),
        AlertDescription::CertificateRequired => "certificate required".to_owned(),
        AlertDescription::HandshakeFailure => "handshake failure".to_owned(),
        AlertDescription::UnknownCA => "unknown certificate authority".to_owned(),
        AlertDescription::AccessDenied => "access denied".to_owned(),
        other => format!("{other:?}"),
    }
}
