//! Values as the schema of a custom resource types them.
//!
//! Source: `k8s.io/apiserver/pkg/cel/common/valuesunstructured.go`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::schema::{StringFormat, ValueSchema};
use super::time::{Duration, Timestamp};
use super::value::{List, Map, Text, Value};
use super::value::{TreeList, TreeMap};

impl<'a> Value<'a> {
    /// Returns a value typed by its schema. What does not fit the schema stays as it is, as it was validated before.
    pub fn typed(value: &'a gotext::value::Value, schema: &'a ValueSchema) -> Self {
        match (schema, value) {
            (ValueSchema::Number, gotext::value::Value::Number(number)) => {
                Self::Double(number.as_f64().unwrap_or(f64::NAN))
            }
            (ValueSchema::String(format), gotext::value::Value::String(text)) => formatted(text, *format),
            (ValueSchema::Object(_) | ValueSchema::Map(_), gotext::value::Value::Object(fields)) => {
                Self::Map(Map::Tree(TreeMap::typed(fields, schema)))
            }
            (ValueSchema::Array(item, list_type), gotext::value::Value::Array(items)) => {
                Self::List(List::Tree(TreeList::typed(items, item, list_type)))
            }
            _ => Self::from(value),
        }
    }
}

fn formatted(text: &str, format: StringFormat) -> Value<'_> {
    let parsed = match format {
        StringFormat::Text => None,
        StringFormat::Byte => STANDARD.decode(text).ok().map(|bytes| Value::Bytes(bytes.into())),
        StringFormat::Date => time(&format!("{text}T00:00:00Z")),
        StringFormat::DateTime => time(text),
        StringFormat::Duration => Duration::parse(text).map(Value::Duration),
    };
    parsed.unwrap_or(Value::String(Text::Borrowed(text)))
}

fn time(text: &str) -> Option<Value<'static>> {
    Timestamp::parse(text)?.ok().map(Value::Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::ListType;
    use crate::{Env, Program, Type, Variables};

    fn schema() -> ValueSchema {
        let text = || ValueSchema::String(StringFormat::Text);
        let item = ValueSchema::Object(
            [("name".to_owned(), text()), ("port".to_owned(), ValueSchema::Plain)].into(),
        );
        let list = |item: ValueSchema, of: ListType| ValueSchema::Array(Box::new(item), of);
        let fields = [
            ("max-size", ValueSchema::Number),
            ("in", text()),
            ("data", ValueSchema::String(StringFormat::Byte)),
            ("at", ValueSchema::String(StringFormat::DateTime)),
            ("day", ValueSchema::String(StringFormat::Date)),
            ("wait", ValueSchema::String(StringFormat::Duration)),
            ("empty", text()),
            ("labels", ValueSchema::Map(Box::new(text()))),
            ("set", list(text(), ListType::Set)),
            ("keyed", list(item, ListType::Map(vec!["name".to_owned()]))),
            ("list", list(ValueSchema::Integer, ListType::Atomic)),
        ];
        ValueSchema::Object(fields.into_iter().map(|(name, of)| (name.to_owned(), of)).collect())
    }

    #[test]
    fn rules_see_values_as_their_schema_types_them() {
        let value = gotext::value::json!({
            "max-size": 3, "in": "x", "data": "aGk=", "at": "2024-01-02T03:04:05Z", "day": "2024-01-02", "wait": "90s",
            "empty": null, "labels": {"a__b": "c"}, "set": ["a", "b"], "unknown": 1, "list": [1, 2],
            "keyed": [{"name": "a", "port": "1"}, {"name": "b", "port": "http"}],
        });
        let schema = schema();
        let variables = Variables::new().with("self", Value::typed(&value, &schema));
        let env = Env::new().with_variable("self", Type::Dyn);
        for (text, expected) in [
            ("self.max__dash__size + 1.0", "4"),
            ("self.__in__", "x"),
            ("size(self.data)", "2"),
            ("self.at.getHours()", "3"),
            ("self.day.getDayOfMonth()", "1"),
            ("self.wait + duration('30s')", "120s"),
            ("has(self.empty) || has(self.unknown)", "false"),
            ("self.labels['a__b']", "c"),
            ("self.set == ['b', 'a'] && self.set != ['b', 'c']", "true"),
            ("self.set + ['b', 'c']", "[a, b, c]"),
            ("self.set + ['c'] == ['c', 'b', 'a']", "true"),
            ("self.keyed == [{'name': 'b', 'port': 'http'}, {'name': 'a', 'port': '1'}]", "true"),
            ("(self.keyed + [{'name': 'a', 'port': '2'}]).map(item, item.port)", "[2, http]"),
            ("self.list == [2, 1]", "false"),
            ("self.list + [1]", "[1, 2, 1]"),
            ("self.exists(key, key == 'max__dash__size') && self.exists(key, key == '__in__')", "true"),
        ] {
            let checked = env.compile(text).unwrap_or_else(|issues| panic!("{issues}"));
            let result = Program::new(&checked).expect("a program").eval(&variables, None).result;
            let printed = result.map_or_else(|error| error.to_string(), |value| value.to_string());
            assert_eq!(printed, expected, "{text}");
        }
    }
}
