//! Blocks of PEM text.
//!
//! Source: `encoding/pem`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The types of the PEM blocks in `text`.
pub(crate) fn block_types(text: &str) -> Vec<String> {
    let mut types = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("-----BEGIN ") {
        let begins_line = start == 0 || rest.as_bytes()[start - 1] == b'\n';
        rest = &rest[start + "-----BEGIN ".len()..];
        let line = rest.lines().next().unwrap_or_default().trim_end();
        let Some(kind) = line.strip_suffix("-----").filter(|_| begins_line) else { continue };
        let Some((body, after)) = rest[line.len()..].split_once(&format!("-----END {kind}-----")) else {
            continue;
        };
        let body = body
            .rsplit_once("\n\n")
            .filter(|(headers, _)| headers.contains(':'))
            .map_or(body, |(_, body)| body);
        let encoded: String = body.split_whitespace().collect();
        if STANDARD.decode(encoded).is_ok() {
            types.push(kind.to_owned());
            rest = after;
        }
    }
    types
}
