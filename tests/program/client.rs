//! A client that shows every byte: HTTP/1.1 over TLS, without what client libraries hide.

mod trust;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use gotext::encoding_json;
use gotext::value::Value;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

pub(crate) type Stream = BufReader<StreamOwned<ClientConnection, TcpStream>>;

/// A user of a server.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    config: Arc<ClientConfig>,
    /// The headers of every request.
    headers: String,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

/// A watch that goes on.
pub(crate) struct Events(Stream);

impl Client {
    pub(crate) fn new(address: SocketAddr, authority: &str, token: &str) -> Self {
        let config = trust::trusting(authority.as_bytes());
        let client = Self { address, config: Arc::new(config), headers: String::new() };
        if token.is_empty() { client } else { client.with(&format!("Authorization: Bearer {token}")) }
    }

    /// Returns the same client with one more header.
    pub(crate) fn with(&self, header: &str) -> Self {
        Self { headers: format!("{}{header}\r\n", self.headers), ..self.clone() }
    }

    fn connect(&self) -> Stream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
        let name = ServerName::try_from("127.0.0.1").expect("a name");
        let connection = ClientConnection::new(self.config.clone(), name).expect("TLS");
        BufReader::new(StreamOwned::new(connection, stream))
    }

    /// Connects, and agrees on HTTP/2.
    pub(crate) fn connect_http2(&self) -> Stream {
        let mut config = ClientConfig::clone(&self.config);
        config.alpn_protocols = vec![b"h2".to_vec()];
        Self { config: Arc::new(config), ..self.clone() }.connect()
    }

    /// Sends bytes as they are, and returns those of the answer.
    pub(crate) fn send_raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // The server may hang up before it has read everything.
        let _ = stream.get_mut().write_all(bytes).and_then(|()| stream.get_mut().flush());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    fn head(&self, method: &str, path: &str, more: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: kubernetes\r\nUser-Agent: test/1\r\n{}{more}\r\n",
            self.headers
        )
    }

    /// Sends a request with a body of this type.
    pub(crate) fn send(&self, method: &str, path: &str, kind: &str, body: &str) -> Answer {
        let (headers, bytes) = self.send_for_bytes(method, path, kind, body);
        let code = headers.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        Answer { code, headers, body: String::from_utf8(bytes).expect("UTF-8") }
    }

    fn send_for_bytes(&self, method: &str, path: &str, kind: &str, body: &str) -> (String, Vec<u8>) {
        let more = format!("Connection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
        let bytes = self.send_raw(&[self.head(method, path, &more).as_bytes(), body.as_bytes()].concat());
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&bytes)));
        let headers = String::from_utf8(bytes[..end].to_vec()).expect("UTF-8");
        (headers, bytes[end + 4..].to_vec())
    }

    /// Returns the headers and the bytes of a page.
    pub(crate) fn get_bytes(&self, path: &str) -> (String, Vec<u8>) {
        self.send_for_bytes("GET", path, "", "")
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", "")
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, "", "")
    }

    pub(crate) fn post(&self, path: &str, object: &Value) -> Answer {
        self.send("POST", path, "application/json", &object.to_string())
    }

    pub(crate) fn put(&self, path: &str, object: &Value) -> Answer {
        self.send("PUT", path, "application/json", &object.to_string())
    }

    /// Sends a patch of a type such as `merge-patch+json`.
    pub(crate) fn patch(&self, path: &str, kind: &str, patch: &Value) -> Answer {
        self.send("PATCH", path, &format!("application/{kind}"), &patch.to_string())
    }

    /// Begins a watch.
    pub(crate) fn watch(&self, path: &str) -> Events {
        let mut stream = self.connect();
        stream.get_mut().write_all(self.head("GET", path, "").as_bytes()).expect("a request");
        stream.get_mut().flush().expect("a request");
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).expect("a head");
        }
        Events(stream)
    }
}

impl Answer {
    /// Returns the object of an answer with this code.
    #[track_caller]
    pub(crate) fn object(&self, code: u16) -> Value {
        assert_eq!(self.code, code, "{}", self.body);
        encoding_json::from_slice(self.body.as_bytes())
            .unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Returns code, reason and message of a refusal.
    pub(crate) fn refusal(&self) -> (u16, String, String) {
        let status = encoding_json::from_slice(self.body.as_bytes()).unwrap_or_default();
        let text = |field: &str| status.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        (self.code, text("reason"), text("message"))
    }
}

impl Events {
    /// Returns the next event.
    pub(crate) fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("an event") > 0, "the watch ended");
            // Other lines are the lengths of chunks.
            if line.starts_with('{') {
                return encoding_json::from_slice(line.trim_end().as_bytes()).expect("JSON");
            }
        }
    }

    /// Returns type, kind and name of the next event.
    pub(crate) fn next_shown(&mut self) -> String {
        let event = self.next();
        let object = &event["object"];
        format!("{} {} {}", event.text("type"), object.text("kind"), object.text(["metadata", "name"]))
    }
}
