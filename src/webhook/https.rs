//! Calls webhooks over HTTPS. No other module opens a connection.
//!
//! No proxy is used, no redirect followed, and no answer read beyond its limit. Errors are those of Go's client.

mod tls;

use std::collections::BTreeMap;
use std::error::Error as _;
use std::io::{ErrorKind, Read as _};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector as _, NextTimeout, TcpConnector};
use ureq::{Agent, Error};

use crate::webhook::{Client, Credentials, Exchange, LIMIT, Reply, Services};
use gotext::quote;
use tls::Tls;

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
            .build();
        let connector = ().chain(TcpConnector::default()).chain(Tls::new(exchange)?);
        let places = Places(self.services.clone());
        let agent = Agent::with_parts(config, connector, places);
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
        let deadline = exchange.timeout.map(|timeout| Instant::now() + timeout);
        for _ in 0..MAX_RETRIES {
            let (reply, wait) = self.send(&agent, &url, exchange, deadline)?;
            let Some(wait) = wait else { return Ok(reply) };
            // What is over before the wait is fails as if it had waited.
            if deadline.is_some_and(|deadline| Instant::now() + wait >= deadline) {
                return Err(failed("context deadline exceeded".to_owned()));
            }
            thread::sleep(wait);
        }
        self.send(&agent, &url, exchange, deadline).map(|(reply, _)| reply)
    }
}

/// The number of times that a request is sent again, because the answer says when to.
///
/// Source: `NewRequest` of `k8s.io/client-go/rest`.
const MAX_RETRIES: usize = 10;

impl Https {
    /// Sends the request once. Returns the answer, and after which time it wants to be asked again, if it does.
    fn send(
        &self,
        agent: &Agent,
        url: &str,
        exchange: &Exchange<'_>,
        deadline: Option<Instant>,
    ) -> Result<(Reply, Option<Duration>), String> {
        let request = agent.post(url).header("content-type", "application/json");
        let mut request = request.header("accept-encoding", "gzip");
        if let Some(credentials) = exchange.credentials.filter(|found| !found.authorization.is_empty()) {
            request = request.header("authorization", &credentials.authorization);
        }
        if let Some(deadline) = deadline {
            let timeout = Some(deadline.saturating_duration_since(Instant::now()));
            request = request.config().timeout_global(timeout).build();
        }
        let sent = request.send(exchange.body.to_string().as_bytes());
        let mut response = sent.map_err(|error| {
            format!("Post {}: {}", quote(exchange.url), in_words(&error, url, &self.services))
        })?;
        let header = |name: &str| {
            let value = response.headers().get(name).and_then(|value| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        let content_type = header("content-type");
        let status = response.status().as_u16();
        let wait = wait_of(status, &header("retry-after"));
        let mut body = Vec::new();
        let limit = u64::try_from(LIMIT).unwrap_or(u64::MAX) + 1;
        let is_packed = header("content-encoding") == "gzip";
        let content = response.body_mut().as_reader();
        let read = if is_packed {
            GzDecoder::new(content).take(limit).read_to_end(&mut body)
        } else {
            content.take(limit).read_to_end(&mut body)
        };
        read.map_err(|error| {
            let is_late = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
            let is_late = matches!(is_late, Some(Error::Timeout(_))) || error.kind() == ErrorKind::TimedOut;
            let why = if is_late { "context deadline exceeded" } else { "unexpected EOF" };
            format!("unexpected error when reading response body. Please retry. Original error: {why}")
        })?;
        Ok((Reply { status, content_type, body }, wait))
    }
}

/// Returns the time after which a server that is busy or failed wants to be asked again, from its `Retry-After`.
///
/// Source: `checkWait` of `k8s.io/client-go/rest`.
fn wait_of(status: u16, retry_after: &str) -> Option<Duration> {
    let is_temporary = status == 429 || status >= 500;
    let seconds: i64 = retry_after.parse().ok().filter(|_| is_temporary)?;
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

/// A resolver that finds Services at the addresses that the user gave, and all others as the system does.
#[derive(Debug)]
struct Places(Services);

impl Resolver for Places {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let address = self.0.address(&authority(uri));
        let found = address.to_socket_addrs().map_err(|_| Error::HostNotFound)?;
        let mut addresses = self.empty();
        for address in found.take(MAX_ADDRESSES) {
            addresses.push(address);
        }
        if addresses.is_empty() { Err(Error::HostNotFound) } else { Ok(addresses) }
    }
}

/// The number of addresses of one host that are tried.
const MAX_ADDRESSES: usize = 8;

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
        Error::Tls(said) => (*said).to_owned(),
        Error::Rustls(error) => tls::in_words(error),
        Error::Io(error) => {
            let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
            if let Some(error) = tls {
                return tls::in_words(error);
            }
            // An error in reading a response is a ureq error inside an I/O error.
            if let Some(Error::Timeout(_)) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
                return "context deadline exceeded".to_owned();
            }
            match error.kind() {
                ErrorKind::ConnectionRefused => {
                    format!("dial tcp {}: connect: connection refused", dialed())
                }
                ErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
                ErrorKind::UnexpectedEof | ErrorKind::ConnectionAborted => "EOF".to_owned(),
                ErrorKind::TimedOut => "context deadline exceeded".to_owned(),
                _ => error.source().map_or_else(|| error.to_string(), ToString::to_string),
            }
        }
        Error::Protocol(_) => "EOF".to_owned(),
        other => other.to_string(),
    }
}
