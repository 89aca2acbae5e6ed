//! An API server: HTTPS on one address, and the admission chain with everything around it behind.
//!
//! A request becomes what a document becomes. Those that change something are evaluated one after the other (`engine`):
//! on the thread of the connections, or on one of their own if that may take long. What they leave is kept with resource
//! versions and as events (`shelf`), from which all others are answered.

mod access;
mod answer;
mod app;
mod certificate;
mod claims;
mod connection;
mod discovery;
mod engine;
mod http;
mod impatient_stream;
mod jwt;
mod kubeconfig;
mod openapi;
mod page;
mod path;
mod read;
mod selection;
mod shelf;
mod table;
mod token;
mod write;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};

use rustls::crypto::{CryptoProvider, ring};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;

use crate::admission::UserInfo;
use crate::api_server::{OfflineCluster, STACK_SIZE};
use crate::evaluation::{Evaluator, Outcome, RequestDefaults};

use access::Gate;
use app::App;
use certificate::Certificates;
use engine::Engine;
use jwt::Signer;
use shelf::Shelf;
use token::Tokens;

/// A server that answers requests until it is dropped.
///
/// ```no_run
/// use kadmit::{ApiServer, Server};
///
/// let cluster = ApiServer::from_flags(["--authorization-mode=RBAC"])?.cluster(&[])?;
/// let server = Server::start(cluster)?;
/// println!("{} {}", server.url(), server.token());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    authority: String,
    token: String,
    shelf: Arc<Shelf>,
    engine: Arc<Mutex<Engine>>,
    stop: Option<oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

/// The settings of a [`Server`] that are not those of kube-apiserver.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// The address to listen at; port 0 is any free one.
    pub address: SocketAddr,
    /// Further users, each with a bearer token. The administrator has a random one.
    pub users: Vec<(String, UserInfo)>,
    /// What becomes of Pods.
    pub pods: Pods,
}

/// What becomes of the Pods of a [`Server`], which runs none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pods {
    /// They stay pending, as in a cluster without nodes.
    #[default]
    Pending,
    /// They become ready at once, and those of Jobs succeed, as if kubelets ran them.
    Ready,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { address: SocketAddr::from(([127, 0, 0, 1], 0)), users: Vec::new(), pods: Pods::Pending }
    }
}

impl Server {
    /// Starts to answer requests to `cluster` on a free port of this machine.
    ///
    /// # Errors
    ///
    /// Fails if there is no such port.
    pub fn start(cluster: OfflineCluster) -> io::Result<Self> {
        Self::start_with(cluster, &ServerOptions::default())
    }

    /// Starts to answer requests to `cluster`.
    ///
    /// # Errors
    ///
    /// Fails if the address is in use.
    pub fn start_with(cluster: OfflineCluster, options: &ServerOptions) -> io::Result<Self> {
        Self::run(cluster.into_evaluator(), options, |_| {})
    }

    /// Starts to answer requests by `evaluator`, whose outcomes are passed to `take`.
    pub(crate) fn run(
        evaluator: Evaluator,
        options: &ServerOptions,
        take: impl FnMut(Outcome) + Send + 'static,
    ) -> io::Result<Self> {
        let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
        let signer = Arc::new(Signer::new()?);
        let no_numbers = || io::Error::other("the system has no random numbers");
        let token = token::opaque(&signer).ok_or_else(no_numbers)?;
        let listener = std::net::TcpListener::bind(options.address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let Certificates { server, authority } = Certificates::make(address.ip(), provider)?;

        let authorizer = evaluator.authorizer().clone();
        let is_constrained = evaluator.profile().is_on_or("ConstrainedImpersonation", false);
        let shelf = Arc::<Shelf>::default();
        let allows_anonymous = !authorizer.allows_everything();
        let mut gate =
            Gate::new(authorizer.clone(), allows_anonymous, is_constrained, shelf.clone(), signer.clone());
        let release = evaluator.profile().release();
        let tokens = Tokens { signer, release, clock, authority: authority.clone() };
        let administrator = RequestDefaults::of_release(release).user_info;
        gate.add(token.clone(), UserInfo::clone(&administrator));
        for (token, user) in &options.users {
            gate.add(token.clone(), user.clone());
        }
        let (routes, asks_webhooks) = (evaluator.routes(), evaluator.asks_webhooks());
        let (sender, jobs) = mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = mpsc::channel();
        let pods = options.pods;
        let evaluating = {
            let (shelf, tokens) = (shelf.clone(), tokens.clone());
            named("evaluator").spawn(move || {
                let engine = Engine::new(evaluator, shelf, Box::new(take), tokens, pods);
                let engine = Arc::new(Mutex::new(engine));
                // Whoever waits may be gone.
                let _ = ready.send(engine.clone());
                Engine::work(&engine, &jobs);
            })?
        };
        let engine = is_ready.recv().map_err(|_| io::Error::other("the cluster could not be prepared"))?;
        let app = App {
            gate: Arc::new(gate),
            routes,
            shelf: shelf.clone(),
            engine: engine.clone(),
            jobs: sender,
            asks_webhooks,
            tokens,
            address: address.to_string(),
        };
        let runtime = runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let acceptor = TlsAcceptor::from(server);
        let connections = named("connections").spawn(move || {
            runtime.block_on(async {
                if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                    http::accept(listener, acceptor, Arc::new(app), stopped).await;
                }
            });
            // What is under way ends with its connections.
            runtime.shutdown_background();
        })?;
        let threads = vec![connections, evaluating];
        Ok(Self { address, authority, token, shelf, engine, stop: Some(stop), threads })
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the certificate that clients must trust, as PEM.
    pub fn certificate_authority(&self) -> &str {
        &self.authority
    }

    /// Returns the bearer token of the administrator.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns a kubeconfig of the administrator.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::of(&self.url(), &self.authority, &self.token)
    }

    /// Returns the objects that exist, ordered by resource, namespace and name.
    pub fn objects(&self) -> Vec<Arc<kube_api::Object>> {
        self.shelf.all()
    }

    /// Stops the server, and waits until it has.
    ///
    /// Returns whether it worked until then: a bug may have ended the evaluation.
    pub fn stop(mut self) -> bool {
        self.end()
    }

    fn end(&mut self) -> bool {
        drop(self.stop.take());
        let have_ended = self.threads.drain(..).map(JoinHandle::join).map(|ended| ended.is_ok());
        have_ended.min().unwrap_or(true) && !self.engine.is_poisoned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn named(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE)
}

/// Returns the time in RFC 3339, to the second.
fn clock() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
