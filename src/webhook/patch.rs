//! The JSON patch in a webhook's answer, whose numbers count as they are written.

use gotext::pointer::unescape;
use gotext::source::{Data, Node};
use kube_api::decode::DecodeError;
use kube_api::json_patch::{self, Patch};

/// A patch, and its text.
pub struct SentPatch {
    patch: Patch,
    node: Node,
    text: String,
}

impl SentPatch {
    /// Reads a patch.
    ///
    /// # Errors
    ///
    /// Fails with Go's message if it is not one.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut node = kube_yaml::read_json(&text)?.node;
        kube_yaml::restore_fractions(&mut node, &text);
        let patch = json_patch::decode(&node.clone().into_value()).map_err(|error| error.to_string())?;
        Ok(Self { patch, node, text })
    }

    /// Returns the operations.
    pub fn patch(&self) -> &Patch {
        &self.patch
    }

    /// Returns the message of `error`, about the object after the patch; it quotes a number as the patch has it.
    pub fn quote_in(&self, error: &DecodeError) -> String {
        const BEFORE: &str = "cannot unmarshal number ";
        let cause = &error.cause;
        let written = error.path.as_ref().and_then(|path| self.number_at(&path.json_pointer()));
        let quoted = written.and_then(|written| {
            let (before, rest) = cause.split_once(BEFORE)?;
            let (_, after) = rest.split_once(" into ")?;
            Some(format!("{before}{BEFORE}{written} into {after}"))
        });
        quoted.unwrap_or_else(|| cause.clone())
    }

    /// Returns the number that the last operation writes at `pointer`.
    fn number_at(&self, pointer: &str) -> Option<&str> {
        let Data::Array(operations) = &self.node.data else { return None };
        operations.iter().rev().find_map(|operation| {
            let rest = pointer.strip_prefix(operation.get("path")?.as_str()?)?;
            let written = rest.split('/').skip(1).try_fold(operation.get("value")?, child)?;
            let is_number = matches!(written.data, Data::Number(_));
            self.text.get(written.span.start..written.span.end).filter(|_| is_number)
        })
    }
}

/// Returns what `node` has at a part of a pointer.
fn child<'n>(node: &'n Node, part: &str) -> Option<&'n Node> {
    node.get(&unescape(part)).or_else(|| node.item(part.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use gotext::value::json;
    use kube_api::field::Path;

    use super::*;

    /// Expected texts are those of a server of 1.36.
    #[test]
    fn a_number_is_quoted_as_it_is_written() {
        let quoted = |patch: &str, field: &'static str, found: &str| {
            let into = "into Go struct field DeploymentSpec.spec.replicas of type int32";
            let cause = format!("json: cannot unmarshal number {found} {into}");
            let path = Some(Path::new("spec").child(field));
            let error = DecodeError { path, cause, ..DecodeError::new(String::new()) };
            let says = SentPatch::read(patch.as_bytes()).expect("a patch").quote_in(&error);
            says.strip_suffix(into).expect("the rest").to_owned()
        };
        let wanted = "json: cannot unmarshal number 1e1 ";
        let one = r#"[{"op": "add", "path": "/spec/replicas", "value": 1e1}]"#;
        assert_eq!(quoted(one, "replicas", "10.0"), wanted);
        let whole = r#"[{"op": "add", "path": "/spec", "value": {"replicas": 1e1}}]"#;
        assert_eq!(quoted(whole, "replicas", "10.0"), wanted);
        assert_eq!(quoted(whole, "other", "1.5"), "json: cannot unmarshal number 1.5 ");
    }

    #[test]
    fn the_negative_zero_is_an_integer() {
        let patch = SentPatch::read(br#"[{"op": "add", "path": "/a", "value": -0}]"#).expect("a patch");
        assert_eq!(patch.patch().apply(json!({})), Ok(json!({"a": 0})));
    }
}
