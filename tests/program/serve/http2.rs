//! Requests over HTTP/2, frame by frame.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use gotext::value::json;

use super::{CONFIG_MAPS, config_map, start};
use crate::client::Stream;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;

/// The flags of a HEADERS frame that is the whole request.
const WHOLE: u8 = 0x5;

fn send(stream: &mut Stream, kind: u8, flags: u8, number: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).expect("a short frame").to_be_bytes();
    let head = [&length[1..], &[kind, flags], &number.to_be_bytes()].concat();
    stream.get_mut().write_all(&[&head, payload].concat()).expect("a frame");
    stream.get_mut().flush().expect("a frame");
}

/// Returns type, stream and payload of the next frame.
fn next(stream: &mut Stream) -> (u8, u32, Vec<u8>) {
    let mut head = [0; 9];
    stream.read_exact(&mut head).expect("a frame");
    let mut payload = vec![0; usize::from(u16::from_be_bytes([head[1], head[2]]))];
    stream.read_exact(&mut payload).expect("a payload");
    (head[3], u32::from_be_bytes([head[5], head[6], head[7], head[8]]), payload)
}

/// Returns headers as literals that neither side has to remember.
fn headers(path: &str, token: &str) -> Vec<u8> {
    let authorization = format!("Bearer {token}");
    let all = [
        (":method", "GET"),
        (":scheme", "https"),
        (":authority", "kubernetes"),
        (":path", path),
        ("authorization", &authorization),
    ];
    let mut bytes = Vec::new();
    for (name, value) in all {
        bytes.push(0);
        for text in [name, value] {
            let length = u8::try_from(text.len()).ok().filter(|length| *length < 127);
            bytes.push(length.expect("a short text"));
            bytes.extend(text.as_bytes());
        }
    }
    bytes
}

/// A watch and other requests share a connection, as in clients in Go.
#[test]
fn requests_share_a_connection() {
    let (server, client) = start(&[]);
    let mut stream = client.connect_http2();
    stream.get_mut().write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").expect("a preface");
    send(&mut stream, SETTINGS, 0, 0, &[]);
    send(&mut stream, HEADERS, WHOLE, 1, &headers(&format!("{CONFIG_MAPS}?watch=1"), server.token()));
    send(&mut stream, HEADERS, WHOLE, 3, &headers("/version", server.token()));
    send(&mut stream, HEADERS, WHOLE, 5, &headers("/version", "wrong"));
    client.post(CONFIG_MAPS, &config_map("a", &json!({}))).object(201);
    let (mut codes, mut bodies) = (BTreeMap::new(), BTreeMap::<u32, String>::new());
    let has = |bodies: &BTreeMap<u32, String>, number: u32, text: &str| {
        bodies.get(&number).is_some_and(|body| body.contains(text))
    };
    while !(has(&bodies, 1, "\"name\":\"a\"")
        && has(&bodies, 3, "gitVersion")
        && has(&bodies, 5, "Unauthorized"))
    {
        match next(&mut stream) {
            // The first header is the status: 200 by its number, others as text.
            (HEADERS, number, payload) => {
                codes.insert(number, payload[0] == 0x88);
            }
            (DATA, number, payload) => {
                let text = String::from_utf8(payload).expect("UTF-8");
                bodies.entry(number).or_default().push_str(&text);
            }
            (SETTINGS, _, payload) if !payload.is_empty() => send(&mut stream, SETTINGS, 1, 0, &[]),
            _ => {}
        }
    }
    assert_eq!(codes, BTreeMap::from([(1, true), (3, true), (5, false)]));
    assert!(bodies[&1].contains("\"type\":\"ADDED\""), "{}", bodies[&1]);
}
