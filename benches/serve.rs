//! Measures `kadmit serve` as a process of its own: the time to its first answer, its memory, and the objects that a
//! client creates in a second over one connection with TLS, each with the processor time that the server spends on it:
//! one after the other with HTTP/1.1, as several streams of HTTP/2, and while a thousand watches are open.

#![expect(clippy::print_stdout, reason = "the figures are the output")]

#[path = "../tests/program/client/trust.rs"]
mod trust;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use h2::RecvStream;
use h2::client::SendRequest;
use hyper::Request;
use hyper::body::Bytes;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use tokio::runtime::{self, Runtime};
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

/// The starts of which the median is printed.
const STARTS: usize = 11;

/// The objects that are created over a connection.
const WRITES: usize = 20_000;

/// The streams of a connection of HTTP/2 that create objects.
const STREAMS: usize = 8;

/// The watches that are open, and how many of them share a connection.
const WATCHES: usize = 1000;
const WATCHES_OF_A_CONNECTION: usize = 100;

/// The objects that are created while every watch gets each of them.
const WATCHED_WRITES: usize = 500;

fn main() {
    let mut starts: Vec<Duration> = (0..STARTS).map(|_| Program::start().1).collect();
    starts.sort_unstable();
    println!("first answer: {:?}, {:?} to {:?}", starts[STARTS / 2], starts[0], starts[STARTS - 1]);
    let (program, _) = Program::start();
    println!("memory of an empty server: {}", program.memory());
    drop(program);

    let (program, _) = Program::start();
    program.measure("ConfigMaps, HTTP/1.1, one after the other", WRITES, || program.write_in_turn(WRITES));
    for (what, path, body) in [
        ("ConfigMaps", CONFIG_MAPS, config_map as fn(&str) -> String),
        ("Secrets", SECRETS, secret),
        ("Pods", PODS, pod),
    ] {
        let (program, _) = Program::start();
        let runtime = runtime();
        program.measure(&format!("{what}, HTTP/2, {STREAMS} streams"), WRITES, || {
            runtime.block_on(program.write_in_streams(path, body, WRITES));
        });
    }
    let (program, _) = Program::start();
    let runtime = runtime();
    let watches = Watches::open(&program, &runtime);
    println!("memory with {WATCHES} watches: {}", program.memory());
    program.measure(&format!("Secrets, HTTP/2, {WATCHES} watches of others"), WRITES, || {
        runtime.block_on(program.write_in_streams(SECRETS, secret, WRITES));
    });
    program.measure(&format!("ConfigMaps, HTTP/2, {WATCHES} watches of them"), WATCHED_WRITES, || {
        runtime.block_on(program.write_in_streams(CONFIG_MAPS, config_map, WATCHED_WRITES));
        runtime.block_on(watches.wait(WATCHED_WRITES));
    });
    println!("memory then: {}", program.memory());
}

fn runtime() -> Runtime {
    runtime::Builder::new_current_thread().enable_io().build().expect("a runtime")
}

fn config_map(name: &str) -> String {
    format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"{name}\"}},\"data\":{{\"a\":\"1\"}}}}"
    )
}

fn secret(name: &str) -> String {
    format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{{\"name\":\"{name}\"}},\"stringData\":{{\"a\":\"1\"}}}}"
    )
}

fn pod(name: &str) -> String {
    format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{{\"name\":\"{name}\",\"labels\":{{\"app\":\"web\"}}}},\
         \"spec\":{{\"containers\":[{{\"name\":\"web\",\"image\":\"nginx:1.27\"}}]}}}}"
    )
}

/// A process of `kadmit serve`.
struct Program {
    process: Child,
    directory: PathBuf,
    address: SocketAddr,
    config: Arc<ClientConfig>,
    token: String,
}

impl Program {
    /// Starts a server, and returns the time to its first answer as well.
    fn start() -> (Self, Duration) {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{number}"));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).expect("a directory");
        let began = Instant::now();
        let process = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .args(["serve", "--kubeconfig", "config", "--ready-file", "ready"])
            .current_dir(&directory)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        let url = loop {
            match fs::read_to_string(directory.join("ready")) {
                Ok(url) if url.ends_with('\n') => break url,
                _ => thread::sleep(Duration::from_micros(200)),
            }
        };
        let address = url.trim().strip_prefix("https://").expect("a URL").parse().expect("an address");
        let config = fs::read_to_string(directory.join("config")).expect("a kubeconfig");
        let field = |name: &str| {
            let mut lines = config.lines().filter_map(|line| line.trim().split_once(": "));
            lines.find(|(own, _)| own.ends_with(name)).expect("a field").1.trim_matches('"').to_owned()
        };
        let authority = gotext::base64::decoded(&field("certificate-authority-data"));
        let token = field("token");
        let config = trust::trusting(&authority);
        let program = Self { process, directory, address, config: Arc::new(config), token };
        program.connect().get("/version", &program.token).expect("an answer");
        (program, began.elapsed())
    }

    /// Returns the memory that the process has now, and the most that it had.
    fn memory(&self) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
        };
        format!("{}, at most {}", field("VmRSS:"), field("VmHWM:"))
    }

    /// Returns the processor time of the process, which Linux counts in hundredths of a second.
    fn processor_time(&self) -> Option<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        Some(Duration::from_millis(ticks * 10))
    }

    /// Prints how long `work`, which writes `count` objects, takes the client and the server.
    fn measure(&self, what: &str, count: usize, work: impl FnOnce()) {
        let (began, before) = (Instant::now(), self.processor_time());
        work();
        let time = began.elapsed();
        #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
        let count = count as f64;
        let spent = before.zip(self.processor_time()).map_or_else(
            || "unknown".to_owned(),
            |(before, after)| format!("{:.0}", after.saturating_sub(before).as_secs_f64() * 1e6 / count),
        );
        println!(
            "{what}: {:.0} writes/s, {spent} µs of the server's processors each",
            count / time.as_secs_f64()
        );
    }

    fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_nodelay(true).expect("an option");
        let connection = ClientConnection::new(self.config.clone(), server_name()).expect("TLS");
        Connection(BufReader::new(StreamOwned::new(connection, stream)))
    }

    /// Creates objects over one connection of HTTP/1.1, each after the answer to the one before.
    fn write_in_turn(&self, count: usize) {
        let mut connection = self.connect();
        for number in 0..count {
            let body = config_map(&format!("a-{number}"));
            connection.send("POST", CONFIG_MAPS, &self.token, &body).expect("created");
        }
    }

    /// Connects with HTTP/2.
    async fn connect_http2(&self) -> SendRequest<Bytes> {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols = vec![b"h2".to_vec()];
        let stream = tokio::net::TcpStream::connect(self.address).await.expect("the server listens");
        stream.set_nodelay(true).expect("an option");
        let stream = TlsConnector::from(Arc::new(config)).connect(server_name(), stream).await.expect("TLS");
        let (client, connection) = h2::client::handshake(stream).await.expect("HTTP/2");
        tokio::spawn(connection);
        client
    }

    /// Creates objects over one connection of HTTP/2, in several streams at a time.
    async fn write_in_streams(&self, path: &str, body: fn(&str) -> String, count: usize) {
        let client = self.connect_http2().await;
        let mut tasks = JoinSet::new();
        for stream in 0..STREAMS {
            let (mut client, url) = (client.clone(), format!("https://kubernetes{path}"));
            let authorization = format!("Bearer {}", self.token);
            tasks.spawn(async move {
                for number in (stream..count).step_by(STREAMS) {
                    let request = Request::post(&*url)
                        .header("authorization", &*authorization)
                        .header("content-type", "application/json")
                        .body(())
                        .expect("a request");
                    client = client.ready().await.expect("a connection");
                    let (answer, mut sent) = client.send_request(request, false).expect("a stream");
                    sent.send_data(body(&format!("b-{number}")).into(), true).expect("a body");
                    let answer = answer.await.expect("an answer");
                    assert_eq!(answer.status(), 201);
                    let mut body = answer.into_body();
                    while piece(&mut body).await.is_some() {}
                }
            });
        }
        while let Some(ended) = tasks.join_next().await {
            ended.expect("no panic");
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // A process that has ended cannot be ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn server_name() -> ServerName<'static> {
    ServerName::try_from("127.0.0.1").expect("a name")
}

/// Returns the next piece of a body.
async fn piece(body: &mut RecvStream) -> Option<Bytes> {
    let data = body.data().await?.expect("a body");
    body.flow_control().release_capacity(data.len()).expect("what was received");
    Some(data)
}

/// A connection of HTTP/1.1.
struct Connection(BufReader<StreamOwned<ClientConnection, TcpStream>>);

impl Connection {
    fn get(&mut self, path: &str, token: &str) -> io::Result<Vec<u8>> {
        self.send("GET", path, token, "")
    }

    /// Sends a request, and returns the body of an answer that is no refusal.
    fn send(&mut self, method: &str, path: &str, token: &str, body: &str) -> io::Result<Vec<u8>> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: kubernetes\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.0.get_mut().write_all(request.as_bytes())?;
        let (mut line, mut length, mut code) = (String::new(), 0, String::new());
        loop {
            line.clear();
            self.0.read_line(&mut line)?;
            let text = line.trim_end();
            if code.is_empty() {
                text.split(' ').nth(1).unwrap_or_default().clone_into(&mut code);
            } else if text.is_empty() {
                break;
            } else if let Some(value) = text.strip_prefix("content-length: ") {
                length = value.parse().map_err(io::Error::other)?;
            }
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer)?;
        assert!(code.starts_with('2'), "{method} {path}: {code} {}", String::from_utf8_lossy(&answer));
        Ok(answer)
    }
}

/// Watches that are open.
struct Watches(Arc<AtomicUsize>);

impl Watches {
    /// Opens watches, each of which counts the events that it gets.
    fn open(program: &Program, runtime: &Runtime) -> Self {
        let events = Arc::new(AtomicUsize::new(0));
        let authorization = format!("Bearer {}", program.token);
        let url = format!("https://kubernetes{CONFIG_MAPS}?watch=1");
        runtime.block_on(async {
            for _ in 0..WATCHES / WATCHES_OF_A_CONNECTION {
                let mut client = program.connect_http2().await;
                for _ in 0..WATCHES_OF_A_CONNECTION {
                    client = client.ready().await.expect("a connection");
                    let request = Request::get(&*url).header("authorization", &*authorization);
                    let request = request.body(()).expect("a request");
                    let (answer, _) = client.send_request(request, true).expect("a stream");
                    let answer = answer.await.expect("an answer");
                    assert_eq!(answer.status(), 200);
                    let (mut body, events) = (answer.into_body(), events.clone());
                    tokio::spawn(async move {
                        while let Some(data) = piece(&mut body).await {
                            let lines = data.split(|byte| *byte == b'\n').count() - 1;
                            events.fetch_add(lines, Ordering::Relaxed);
                        }
                    });
                }
            }
        });
        let watches = Self(events);
        // Each begins with the object that is there.
        runtime.block_on(watches.until(WATCHES));
        watches.0.store(0, Ordering::Relaxed);
        watches
    }

    /// Waits until every watch has got `count` events.
    async fn wait(&self, count: usize) {
        self.until(count * WATCHES).await;
    }

    async fn until(&self, events: usize) {
        while self.0.load(Ordering::Relaxed) < events {
            tokio::task::yield_now().await;
        }
    }
}
