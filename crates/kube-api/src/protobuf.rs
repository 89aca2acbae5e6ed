//! Objects as typed clients in Go send them: in protocol buffers. They are read into the JSON that the same clients
//! would send otherwise; nothing is written in this format.
//!
//! Source: `k8s.io/apimachinery/pkg/runtime/serializer/protobuf`, the `generated.proto` of `k8s.io/api`

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::schema::{self, Field, Scalar, Shape, Tables, Type};
use crate::{GroupVersionKind, Map, Value};
use gotext::{base64, duration, encoding_json, time};
use thiserror::Error;

/// The media type.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// The first bytes of a body.
const MAGIC: &[u8] = b"k8s\0";

/// The start of the clock of times.
const EPOCH: &str = "1970-01-01T00:00:00Z";

/// The messages that may contain each other. No object comes near it; a stack of a few megabytes does not overflow.
const DEEPEST: usize = 500;

/// Why a body cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// It does not begin as those of Kubernetes do.
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Prefix,
    /// Nothing follows its beginning.
    #[error("empty body")]
    Empty,
    /// It ends early, or a length or number in it is wrong.
    #[error("unexpected EOF")]
    Malformed,
    /// It is nested too deeply.
    #[error("the protobuf message is nested too deeply")]
    Depth,
    /// The release has no such kind in this format.
    #[error("the kind has no form in protobuf")]
    UnknownKind,
}

/// A body that is not read yet: an object, and what it says about its kind.
#[derive(Debug, Default)]
pub struct Unread<'a> {
    /// The version of its kind, or nothing.
    pub api_version: String,
    /// Its kind, or nothing.
    pub kind: String,
    message: &'a [u8],
}

impl<'a> Unread<'a> {
    /// Returns what `body` has; nothing if it is of another format.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be read.
    pub fn of(body: &'a [u8]) -> Option<Result<Self, Error>> {
        let rest = body.strip_prefix(MAGIC)?;
        Some(if rest.is_empty() { Err(Error::Empty) } else { Self::unwrap(rest) })
    }

    fn unwrap(body: &'a [u8]) -> Result<Self, Error> {
        let mut unread = Self::default();
        for field in Fields(body) {
            match field? {
                (1, Wire::Bytes(names)) => {
                    for field in Fields(names) {
                        match field? {
                            (1, Wire::Bytes(text)) => unread.api_version = utf8(text)?,
                            (2, Wire::Bytes(text)) => unread.kind = utf8(text)?,
                            _ => {}
                        }
                    }
                }
                (2, Wire::Bytes(message)) => unread.message = message,
                _ => {}
            }
        }
        Ok(unread)
    }

    /// Returns the object, as one of type `found`, without its kind.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be read.
    pub fn read(&self, found: &Type) -> Result<Value, Error> {
        message(found, self.message, 0)
    }
}

/// Reads the object in `body`, which is of `kind` unless it says otherwise, by the field tables `tables`.
///
/// # Errors
///
/// Returns why it cannot be read.
pub fn read(body: &[u8], kind: &GroupVersionKind, tables: Tables) -> Result<Value, Error> {
    let unread = Unread::of(body).ok_or(Error::Prefix)??;
    let own = match unread.kind.as_str() {
        "" => kind.clone(),
        name => GroupVersionKind::from_api_version(&unread.api_version, name),
    };
    let is_options = own.kind == "DeleteOptions";
    let options = || tables.named("meta/v1.DeleteOptions");
    let found =
        tables.of(&own).or_else(|| if is_options { options() } else { None }).ok_or(Error::UnknownKind)?;
    let mut value = unread.read(found)?;
    value["apiVersion"] = own.api_version().into();
    value["kind"] = own.kind.to_string().into();
    Ok(value)
}

/// The fields of a message, by number.
type Numbers = HashMap<u32, Name>;

/// What a number stands for.
#[derive(Clone, Copy, Debug)]
enum Name {
    Field(&'static str),
    /// A message whose fields are fields of the object in JSON.
    Inlined(&'static str),
}

static MESSAGES: LazyLock<HashMap<&'static str, Numbers>> = LazyLock::new(|| {
    let lines = include_str!("../data/protobuf.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).map(|(name, fields)| (name, numbers(fields))).collect()
});

fn numbers(fields: &'static str) -> Numbers {
    let mut next = 1;
    let mut numbers = Numbers::new();
    for word in fields.split(' ') {
        if let Ok(number) = word.parse() {
            next = number;
            continue;
        }
        let name = word.strip_prefix('+').map_or(Name::Field(word), Name::Inlined);
        numbers.insert(next, name);
        next += 1;
    }
    numbers
}

/// A value as it is written.
#[derive(Clone, Copy, Debug)]
enum Wire<'a> {
    Number(u64),
    Double(f64),
    Bytes(&'a [u8]),
}

/// Reads the fields of a message one after the other.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn varint(&mut self) -> Result<u64, Error> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or(Error::Malformed)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Error::Malformed)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Error::Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<(u32, Wire<'a>), Error> {
        let key = self.varint()?;
        let number = u32::try_from(key >> 3).map_err(|_| Error::Malformed)?;
        let value = match key & 7 {
            0 => Wire::Number(self.varint()?),
            1 => {
                let bytes = self.take(8)?.try_into().map_err(|_| Error::Malformed)?;
                Wire::Double(f64::from_le_bytes(bytes))
            }
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Error::Malformed)?;
                Wire::Bytes(self.take(length)?)
            }
            5 => {
                let bytes = self.take(4)?.try_into().map_err(|_| Error::Malformed)?;
                Wire::Double(f32::from_le_bytes(bytes).into())
            }
            _ => return Err(Error::Malformed),
        };
        Ok((number, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Wire<'a>), Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.0 = &[];
        }
        Some(field)
    }
}

fn utf8(bytes: &[u8]) -> Result<String, Error> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Error::Malformed)
}

/// Reads a message of `kind`.
fn message(kind: &Type, bytes: &[u8], depth: usize) -> Result<Value, Error> {
    let mut map = Map::new();
    let name = format!("{}.{}", kind.package, kind.short_name());
    fill(&mut map, kind, MESSAGES.get(name.as_str()).ok_or(Error::UnknownKind)?, bytes, depth)?;
    Ok(Value::Object(map))
}

/// Adds the fields of a message, which `numbers` names and `kind` has, to `map`.
fn fill(map: &mut Map, kind: &Type, numbers: &Numbers, bytes: &[u8], depth: usize) -> Result<(), Error> {
    if depth > DEEPEST {
        return Err(Error::Depth);
    }
    for field in Fields(bytes) {
        let (number, wire) = field?;
        match (numbers.get(&number), wire) {
            (Some(Name::Inlined(name)), Wire::Bytes(bytes)) => {
                if let Some(inlined) = MESSAGES.get(name) {
                    fill(map, kind, inlined, bytes, depth + 1)?;
                }
            }
            (Some(Name::Field(name)), wire) => {
                if let Some(field) = kind.field(name) {
                    add(map, field, wire, depth)?;
                }
            }
            // A field that the release does not have.
            _ => {}
        }
    }
    Ok(())
}

/// Adds a value of a field, which may be one of several in a list or a map.
fn add(map: &mut Map, field: &Field, wire: Wire<'_>, depth: usize) -> Result<(), Error> {
    let name = &*field.name;
    match &field.reference.get().shape {
        Shape::List(item) => {
            let item = value(item.get(), wire, depth)?;
            let list = map.entry(name).or_insert_with(|| Value::from(Vec::<Value>::new()));
            list.as_array_mut().ok_or(Error::Malformed)?.push(item);
        }
        Shape::Map { value: kind, .. } => {
            let Wire::Bytes(entry) = wire else { return Err(Error::Malformed) };
            let (mut key, mut found) = (String::new(), None);
            for part in Fields(entry) {
                match part? {
                    (1, Wire::Bytes(text)) => key = utf8(text)?,
                    (2, wire) => found = Some(value(kind.get(), wire, depth)?),
                    _ => {}
                }
            }
            let found = match found {
                Some(found) => found,
                None => value(kind.get(), Wire::Bytes(&[]), depth)?,
            };
            let entries = map.entry(name).or_insert_with(|| Value::Object(Map::new()));
            entries.as_object_mut().ok_or(Error::Malformed)?.insert(key, found);
        }
        _ => drop(map.insert(name, value(field.reference.get(), wire, depth)?)),
    }
    Ok(())
}

/// Reads one value of `kind`.
fn value(kind: &Type, wire: Wire<'_>, depth: usize) -> Result<Value, Error> {
    match (&kind.shape, wire) {
        (Shape::Struct(_), Wire::Bytes(bytes)) => message(kind, bytes, depth + 1),
        // A list within another value is a message with its items.
        (Shape::List(item), Wire::Bytes(bytes)) => {
            let items = Fields(bytes).filter_map(|field| match field {
                Ok((1, wire)) => Some(value(item.get(), wire, depth + 1)),
                Ok(_) => None,
                Err(error) => Some(Err(error)),
            });
            Ok(items.collect::<Result<Vec<Value>, Error>>()?.into())
        }
        (Shape::Scalar(kind), wire) => scalar(*kind, wire, depth),
        _ => Err(Error::Malformed),
    }
}

fn scalar(kind: Scalar, wire: Wire<'_>, depth: usize) -> Result<Value, Error> {
    Ok(match (kind, wire) {
        (Scalar::String, Wire::Bytes(bytes)) => utf8(bytes)?.into(),
        (Scalar::Bool, Wire::Number(number)) => (number != 0).into(),
        (Scalar::Int32 | Scalar::Int64 | Scalar::Uint8, Wire::Number(number)) => number.cast_signed().into(),
        (Scalar::Float64, Wire::Double(number)) => number.into(),
        (Scalar::Bytes, Wire::Bytes(bytes)) => base64::encode(bytes).into(),
        (Scalar::Quantity, Wire::Bytes(bytes)) => text_at(bytes, 1)?.unwrap_or_else(|| "0".to_owned()).into(),
        (Scalar::IntOrString, Wire::Bytes(bytes)) => {
            let is_text = number_at(bytes, 1)? == 1;
            if is_text { text_at(bytes, 3)?.unwrap_or_default().into() } else { number_at(bytes, 2)?.into() }
        }
        // The zero time has no fields.
        (Scalar::Time | Scalar::MicroTime, Wire::Bytes([])) => Value::Null,
        (Scalar::Time, Wire::Bytes(bytes)) => time::after(EPOCH, number_at(bytes, 1)?).into(),
        (Scalar::MicroTime, Wire::Bytes(bytes)) => {
            let seconds = time::after(EPOCH, number_at(bytes, 1)?);
            let micros = number_at(bytes, 2)? / 1000;
            format!("{}.{micros:06}Z", seconds.trim_end_matches('Z')).into()
        }
        (Scalar::Duration, Wire::Bytes(bytes)) => duration::print(number_at(bytes, 1)?).into(),
        (Scalar::Json, Wire::Bytes(bytes)) => match bytes_at(bytes, 1)? {
            None | Some([]) => Value::Null,
            Some(raw) => encoding_json::from_slice(raw).map_err(|_| Error::Malformed)?,
        },
        (Scalar::SchemaOrBool, Wire::Bytes(bytes)) => match bytes_at(bytes, 2)? {
            Some(schema) => json_schema(schema, depth)?,
            None => (number_at(bytes, 1)? != 0).into(),
        },
        (Scalar::SchemaOrArray, Wire::Bytes(bytes)) => {
            if let Some(schema) = bytes_at(bytes, 1)? {
                json_schema(schema, depth)?
            } else {
                let schemas = all_at(bytes, 2).map(|schema| json_schema(schema?, depth));
                schemas.collect::<Result<Vec<Value>, Error>>()?.into()
            }
        }
        (Scalar::SchemaOrStrings, Wire::Bytes(bytes)) => match bytes_at(bytes, 1)? {
            Some(schema) => json_schema(schema, depth)?,
            None => all_at(bytes, 2).map(|text| utf8(text?)).collect::<Result<Vec<String>, Error>>()?.into(),
        },
        _ => return Err(Error::Malformed),
    })
}

fn json_schema(bytes: &[u8], depth: usize) -> Result<Value, Error> {
    let kind = schema::named("apiextensions/v1.JSONSchemaProps").ok_or(Error::UnknownKind)?;
    message(kind, bytes, depth + 1)
}

/// Returns every value of the field `number`.
fn all_at(bytes: &[u8], number: u32) -> impl Iterator<Item = Result<&[u8], Error>> {
    Fields(bytes).filter_map(move |field| match field {
        Ok((own, Wire::Bytes(bytes))) if own == number => Some(Ok(bytes)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    })
}

fn bytes_at(bytes: &[u8], number: u32) -> Result<Option<&[u8]>, Error> {
    all_at(bytes, number).last().transpose()
}

fn text_at(bytes: &[u8], number: u32) -> Result<Option<String>, Error> {
    bytes_at(bytes, number)?.map(utf8).transpose()
}

/// Returns the number of the field `number`, which is 0 if it is not there.
fn number_at(bytes: &[u8], number: u32) -> Result<i64, Error> {
    let mut found = 0;
    for field in Fields(bytes) {
        if let (own, Wire::Number(value)) = field?
            && own == number
        {
            found = value.cast_signed();
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use gotext::value::json;

    use super::*;
    use crate::version::Version;

    fn tables() -> Tables {
        schema::of_release(Version::BINARY)
    }

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len()).expect("short");
        [&[number << 3 | 2, length], bytes].concat()
    }

    fn varint(number: u8, value: u8) -> Vec<u8> {
        vec![number << 3, value]
    }

    fn body(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
        let names = [field(1, api_version.as_bytes()), field(2, kind.as_bytes())].concat();
        [MAGIC, &field(1, &names), &field(2, raw)].concat()
    }

    fn read_pod(spec: &[u8]) -> Result<Value, Error> {
        let metadata =
            [field(1, b"web"), field(8, &[]), field(11, &[field(1, b"app"), field(2, b"web")].concat())];
        let raw = [field(1, &metadata.concat()), field(2, spec)].concat();
        read(&body("v1", "Pod", &raw), &GroupVersionKind::new("", "v1", "Pod"), tables())
    }

    #[test]
    fn reads_what_a_client_sends() {
        let quantity = [field(1, b"cpu"), field(2, &field(1, b"100m"))].concat();
        let port = [varint(1, 1), field(3, b"http")].concat();
        let probe = field(1, &field(2, &field(2, &port)));
        let container = [field(1, b"web"), field(8, &field(1, &quantity)), field(10, &probe)].concat();
        let volume = [field(1, b"data"), field(2, &field(2, &[]))].concat();
        let pod =
            read_pod(&[field(1, &volume), field(2, &container), varint(4, 30)].concat()).expect("a pod");
        assert_eq!(
            pod,
            json!({
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": "web", "creationTimestamp": null, "labels": {"app": "web"}},
                "spec": {
                    "volumes": [{"name": "data", "emptyDir": {}}],
                    "containers": [{
                        "name": "web",
                        "resources": {"limits": {"cpu": "100m"}},
                        "livenessProbe": {"httpGet": {"port": "http"}},
                    }],
                    "terminationGracePeriodSeconds": 30,
                },
            })
        );
    }

    #[test]
    fn reads_extra_and_times() {
        let extra = [field(1, b"scopes"), field(2, &[field(1, b"a"), field(1, b"b")].concat())].concat();
        let spec = field(5, &extra);
        let review = body("authorization.k8s.io/v1", "SubjectAccessReview", &field(2, &spec));
        let kind = GroupVersionKind::new("authorization.k8s.io", "v1", "SubjectAccessReview");
        let value = read(&review, &kind, tables()).expect("a review");
        assert_eq!(value["spec"], json!({"extra": {"scopes": ["a", "b"]}}));
        let lease = body("coordination.k8s.io/v1", "Lease", &field(2, &field(3, &[8, 60, 16, 0xe8, 7])));
        let kind = GroupVersionKind::new("coordination.k8s.io", "v1", "Lease");
        let value = read(&lease, &kind, tables()).expect("a lease");
        assert_eq!(value["spec"], json!({"acquireTime": "1970-01-01T00:01:00.000001Z"}));
    }

    #[test]
    fn refuses_what_is_not_complete() {
        let kind = GroupVersionKind::new("", "v1", "Pod");
        assert_eq!(read(b"{}", &kind, tables()), Err(Error::Prefix));
        assert_eq!(read_pod(&[0x0a, 5, 1]), Err(Error::Malformed));
        assert_eq!(read_pod(&[0x0a]), Err(Error::Malformed));
        let unknown = GroupVersionKind::new("example.com", "v1", "Shop");
        assert_eq!(read(&body("", "", &[]), &unknown, tables()), Err(Error::UnknownKind));
        assert_eq!(read(MAGIC, &kind, tables()), Err(Error::Empty));
    }

    #[test]
    fn every_kind_has_its_numbers() {
        // The numbers of what 1.37 added are not published yet.
        let tables = crate::schema::of_release(Version::RECORDED);
        for found in crate::resource::of_release(Version::RECORDED) {
            let kind = found.group_version_kind();
            let table = tables.of(&kind).expect("a kind of the release");
            let name = format!("{}.{}", table.package, table.short_name());
            let numbers = MESSAGES.get(name.as_str()).unwrap_or_else(|| panic!("{name}"));
            for field in table.fields().iter().filter(|field| field.embedded.is_empty()) {
                let is_it = |name: &Name| matches!(name, Name::Field(name) if **name == *field.name);
                assert!(numbers.values().any(is_it), "{name}.{}", field.name);
            }
        }
    }
}
