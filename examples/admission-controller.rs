//! A server for `--admission-controllers`: it denies objects without the label `team`.
//!
//! `cargo run --example admission-controller` listens on port 8080 of this machine.

use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::TcpListener;

/// Answers requests, one after the other.
pub(crate) fn serve(listener: &TcpListener) -> Result<()> {
    for stream in listener.incoming() {
        let mut reader = BufReader::new(stream?);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line)? > 2 {
            if let Some(("content-length", value)) = line.to_lowercase().split_once(": ") {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let asked: serde_json::Value = serde_json::from_slice(&body)?;
        let (status, reason) = match asked["object"]["metadata"]["labels"]["team"].as_str() {
            Some(_) => ("200 OK", String::new()),
            None => (
                "403 Forbidden",
                format!("whose is it? {} left no label", asked["user"]["username"].as_str().unwrap_or("?")),
            ),
        };
        let length = reason.len();
        write!(
            reader.get_mut(),
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{reason}"
        )?;
    }
    Ok(())
}

fn main() -> Result<()> {
    serve(&TcpListener::bind("127.0.0.1:8080")?)
}
