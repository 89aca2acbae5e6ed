//! Tolerations in an annotation, as Go's `encoding/json` reads them: field names in any case, unknown ones ignored, and
//! no validation.

use kube_api::Value;
use kube_api::decode::{self, FieldValidation};
use kube_api::schema;

use gotext::source::{Data, Node};

const FIELDS: [&str; 5] = ["key", "operator", "value", "effect", "tolerationSeconds"];

/// Returns the list in `text`; nothing if the text is empty. The errors are Go's.
pub(super) fn read(text: &str) -> Result<Vec<Value>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let items = match kube_yaml::read_json(text)?.node.data {
        Data::Array(items) => items,
        Data::Null => Vec::new(),
        other => {
            let found = match other {
                Data::Object(_) => "object",
                Data::String(_) => "string",
                Data::Bool(_) => "bool",
                _ => "number",
            };
            return Err(format!("json: cannot unmarshal {found} into Go value of type []v1.Toleration"));
        }
    };
    items.into_iter().map(toleration).collect()
}

fn toleration(mut item: Node) -> Result<Value, String> {
    if let Data::Object(entries) = &mut item.data {
        for entry in entries {
            if let Some(field) = FIELDS.iter().find(|field| field.eq_ignore_ascii_case(&entry.key)) {
                entry.key = (*field).into();
            }
        }
    }
    let table = schema::named("core/v1.Toleration").expect("the field tables have the kinds of the API");
    let (mut value, _) =
        decode::read(item, table, FieldValidation::Ignore, &[]).map_err(|fault| fault.message())?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gotext::value::json;

    #[test]
    fn reads_field_names_in_any_case() {
        let read =
            read(r#" [{"Key": "a", "OPERATOR": "Exists", "comment": 1, "tolerationSeconds": null}, null] "#);
        assert_eq!(read, Ok(vec![json!({"key": "a", "operator": "Exists"}), json!({})]));
        assert_eq!(super::read("null"), Ok(Vec::new()));
        assert_eq!(super::read(""), Ok(Vec::new()));
    }

    #[test]
    fn words_errors_as_go_does() {
        let error = |text| read(text).unwrap_err();
        assert_eq!(error("[] # none"), "invalid character '#' after top-level value");
        assert_eq!(error("["), "unexpected end of JSON input");
        assert_eq!(error("7"), "json: cannot unmarshal number into Go value of type []v1.Toleration");
        assert_eq!(error("[7]"), "json: cannot unmarshal number into Go value of type v1.Toleration");
        assert_eq!(
            error(r#"[{"tolerationSeconds": "60"}]"#),
            "json: cannot unmarshal string into Go struct field Toleration.tolerationSeconds of type int64"
        );
        assert_eq!(
            error(r#"[{"effect": true}]"#),
            "json: cannot unmarshal bool into Go struct field Toleration.effect of type v1.TaintEffect"
        );
    }
}
