//! Requests that are almost right.

use std::env;

use super::{CONFIG_MAPS, DEPLOYMENTS, PODS, definition, deployment, pod, start};

/// The number of requests, if the environment does not say it.
const ROUNDS: usize = 1000;

/// The number of requests that one test sends: `KADMIT_HOSTILE_REQUESTS` sets it for longer runs.
fn rounds() -> usize {
    env::var("KADMIT_HOSTILE_REQUESTS").map_or(ROUNDS, |number| number.parse().expect("a number"))
}

/// Requests that are almost right neither stop the server nor make it hang.
#[test]
fn hostile_requests_do_no_harm() {
    let (server, client) = start(&[]);
    let mut seed = 1_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("31 bits") % below
    };
    let bodies = [
        pod("a").to_string(),
        deployment(2).to_string(),
        definition().to_string(),
        "[{\"op\":\"add\"}]".to_owned(),
    ];
    let paths = [
        PODS,
        DEPLOYMENTS,
        CONFIG_MAPS,
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "/apis",
        "/openapi/v3",
    ];
    let kinds = [
        "application/json",
        "application/yaml",
        "application/json-patch+json",
        "application/apply-patch+yaml",
        "application/vnd.kubernetes.protobuf",
    ];
    let headers = [
        "",
        "Accept: application/json;as=Table;v=v1;g=meta.k8s.io",
        "Accept: application/yaml;q=0.1, */*;q=x, ;;=",
        "Accept-Encoding: gzip, identity;q=0",
        "Impersonate-User: system:serviceaccount:default:default",
        "Impersonate-Group: system:masters",
        "User-Agent: curl/8 (\u{7f})",
    ];
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
    for _ in 0..rounds() {
        let mut body = bodies[random(bodies.len())].clone().into_bytes();
        for _ in 0..random(4) {
            let at = random(body.len());
            body[at] = u8::try_from(random(256)).expect("a byte");
        }
        body.truncate(random(body.len()) + 1);
        let more = [
            "",
            "/a",
            "/a/status",
            "/%2e%2e/x",
            "?limit=-1&continue=e30",
            "?fieldSelector=%00",
            "/a/scale?dryRun=All",
            "?labelSelector=a+in+(&resourceVersion=9&resourceVersionMatch=Exact",
        ][random(8)];
        let mut path = format!("{}{more}", paths[random(paths.len())]).into_bytes();
        let mut header = headers[random(headers.len())].as_bytes().to_vec();
        for text in [&mut path, &mut header] {
            if random(3) == 0 && !text.is_empty() {
                let at = random(text.len());
                text[at] = u8::try_from(33 + random(94)).expect("a printable character");
            }
        }
        if !header.is_empty() {
            header.extend(b"\r\n");
        }
        let head = format!(
            "{} /{} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\nConnection: close\r\nContent-Type: {}\r\n{}Content-Length: {}\r\n\r\n",
            methods[random(methods.len())],
            String::from_utf8_lossy(path.get(1..).unwrap_or_default()),
            server.token(),
            kinds[random(kinds.len())],
            String::from_utf8_lossy(&header),
            body.len(),
        );
        let answer = client.send_raw(&[head.as_bytes(), &body].concat());
        assert!(answer.starts_with(b"HTTP/1.1 "), "{head}{}", String::from_utf8_lossy(&body));
    }
    for raw in [&b"\0\0\0"[..], b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"GET /%ff HTTP/1.1\r\n\r\n"] {
        client.send_raw(raw);
    }
    client.get("/readyz");
    assert!(server.stop(), "no thread panicked");
}
