//! Rules that upstream declares with the fields of its types, interpreted over the field tables: `data/declared.txt` has
//! them.
//!
//! A field that an update leaves alone is not checked. Rules about presence, change and length come first; where one of
//! them fails, the others of the field do not count.
//!
//! Source: `k8s.io/apimachinery/pkg/api/validate`, `k8s.io/code-generator/cmd/validation-gen`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::validation::devices::MAX_POOL_NAME;
use crate::validation::equal::references_equal;
use crate::validation::node::{Errors, IMMUTABLE, Node};
use gotext::names;
use kube_api::field::Error;
use kube_api::schema::{self, Field, Reference, Shape, Type};
use kube_api::server_profile::ServerProfile;
use kube_api::{Value, internal_json};

static TABLE: &str = include_str!("../../data/declared.txt");

/// The rules of a type by its package without a version, and its name.
static RULES: LazyLock<FxHashMap<(&str, &str), Vec<FieldRules>>> = LazyLock::new(|| {
    let (_, body) = TABLE.split_once("\n\n").expect("a comment ends");
    body.split("\n\n").map(|paragraph| read(paragraph).expect("a paragraph is a type")).collect()
});

/// The rules of a field.
struct FieldRules {
    name: &'static str,
    rules: Vec<Rule>,
}

/// A rule of a field.
enum Rule {
    Required,
    Optional,
    /// Forbidden while this gate is off.
    Gate(&'static str),
    /// One of the members of a union, of which exactly one is set.
    Member,
    Immutable,
    Update(Change),
    /// A number that never falls.
    Monotonic,
    /// The items of the list are distinguished by this field.
    Key(&'static str),
    MaxItems(usize),
    MaxLength(usize),
    MaxBytes(usize),
    Minimum(i64),
    Maximum(i64),
    Format(fn(&str) -> Vec<String>),
    /// The format of pools' names, which judges each segment.
    PoolName,
    Enum(Vec<&'static str>),
}

/// What an update must not do to a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Set,
    Unset,
    Modify,
    AddItem,
    RemoveItem,
}

/// Validates `node`, which is of the type `name` of the field tables, and what is below it. In an update, it replaces `old`.
pub(crate) fn validate(
    errors: &mut Errors,
    name: &str,
    node: &Node,
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    let of = schema::named(name).expect("the tables have the types that are validated");
    Validation { errors, profile }.validate_struct(of, node, old);
}

/// Validates the field `child` of `object`, which is of the type `name` of the field tables. In an update, it replaces that
/// of `old`.
pub(crate) fn validate_child(
    errors: &mut Errors,
    name: &str,
    (object, child): (&Node, &'static str),
    old: Option<&Node>,
    profile: &ServerProfile,
) {
    validate(errors, name, &object.child(child), old.map(|old| old.child(child)).as_ref(), profile);
}

/// Reads a type and the lines of its fields.
fn read(paragraph: &'static str) -> Option<((&'static str, &'static str), Vec<FieldRules>)> {
    let mut lines = paragraph.lines();
    let head = lines.next()?.split_once('.')?;
    let fields = lines.map(|line| {
        let (name, words) = line.trim_start().split_once(' ')?;
        Some(FieldRules { name, rules: words.split(' ').map(Rule::read).collect::<Option<_>>()? })
    });
    Some((head, fields.collect::<Option<_>>()?))
}

/// Returns the rules of the fields of a type.
fn rules_of(of: &'static Type) -> &'static [FieldRules] {
    let group = of.package.split('/').next().unwrap_or_default();
    RULES.get(&(group, of.short_name())).map_or(&[], Vec::as_slice)
}

impl Rule {
    fn read(word: &'static str) -> Option<Self> {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        Some(match name {
            "required" => Self::Required,
            "optional" => Self::Optional,
            "gate" => Self::Gate(value),
            "member" => Self::Member,
            "immutable" => Self::Immutable,
            "monotonic" => Self::Monotonic,
            "key" => Self::Key(value),
            "maxItems" => Self::MaxItems(value.parse().ok()?),
            "maxLength" => Self::MaxLength(value.parse().ok()?),
            "maxBytes" => Self::MaxBytes(value.parse().ok()?),
            "minimum" => Self::Minimum(value.parse().ok()?),
            "maximum" => Self::Maximum(value.parse().ok()?),
            "enum" => Self::Enum(value.split(',').collect()),
            "update" => Self::Update(match value {
                "NoSet" => Change::Set,
                "NoUnset" => Change::Unset,
                "NoModify" => Change::Modify,
                "NoAddItem" => Change::AddItem,
                "NoRemoveItem" => Change::RemoveItem,
                _ => return None,
            }),
            "format" if value == "k8s-resource-pool-name" => Self::PoolName,
            "format" => Self::Format(match value {
                "k8s-label-key" => names::is_qualified_name,
                "k8s-long-name" => names::is_long_name,
                "k8s-long-name-caseless" => names::is_long_name_caseless,
                "k8s-path-segment-name" => names::is_path_segment_name,
                "k8s-prefixed-label-key" => is_prefixed_label_key,
                "k8s-short-name" => names::is_short_name,
                "k8s-uuid" => is_uuid,
                _ => return None,
            }),
            _ => return None,
        })
    }
}

fn is_prefixed_label_key(value: &str) -> Vec<String> {
    let messages = names::is_qualified_name(value);
    if messages.is_empty() && !value.contains('/') {
        return vec!["must include a prefix (e.g. 'example.com/key')".to_owned()];
    }
    messages
}

fn is_uuid(value: &str) -> Vec<String> {
    const LENGTHS: [usize; 5] = [8, 4, 4, 4, 12];
    let is_lower_hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_valid = value.split('-').map(str::len).eq(LENGTHS)
        && value.bytes().all(|byte| byte == b'-' || is_lower_hexadecimal(byte));
    if is_valid { Vec::new() } else { vec!["must be a lowercase UUID in 8-4-4-4-12 format".to_owned()] }
}

/// Returns the type of the items of a list, or else the type itself.
fn item_of(of: &'static Type) -> &'static Type {
    match &of.shape {
        Shape::List(item) => item.get(),
        _ => of,
    }
}

/// Whether the value of a field is set: a pointer, a list with items, a scalar that is not zero, or any struct.
fn is_set(reference: &Reference, value: &Value) -> bool {
    match &reference.get().shape {
        _ if reference.pointer => !value.is_null(),
        Shape::Struct(_) => true,
        Shape::List(_) => value.as_array().is_some_and(|items| !items.is_empty()),
        Shape::Map { .. } => value.as_object().is_some_and(|entries| !entries.is_empty()),
        Shape::Scalar(_) => !value.is_zero_value(),
    }
}

struct Validation<'a> {
    errors: &'a mut Errors,
    profile: &'a ServerProfile,
}

impl Validation<'_> {
    fn validate_struct(&mut self, of: &'static Type, node: &Node, old: Option<&Node>) {
        let rules = rules_of(of);
        self.validate_union(of, rules, node, old);
        for field in of.fields() {
            let name: &'static str = &field.name;
            let rules = rules.iter().find(|rules| rules.name == name);
            let rules = rules.map_or(&[][..], |found| &found.rules);
            if rules.is_empty() && rules_of(item_of(field.reference.get())).is_empty() {
                continue;
            }
            let unchanged = |old: &Node| references_equal(&field.reference, node.raw(name), old.raw(name));
            if old.is_some_and(unchanged) || self.ends(field, rules, node, old) {
                continue;
            }
            self.validate_scalar(name, rules, node, old);
            self.validate_below(field, rules, node, old);
        }
    }

    /// Implements `validate.Union`: of the members, exactly one is set.
    fn validate_union(&mut self, of: &Type, rules: &[FieldRules], node: &Node, old: Option<&Node>) {
        let is_member = |field: &&FieldRules| field.rules.iter().any(|rule| matches!(rule, Rule::Member));
        let members: Vec<_> = rules.iter().filter(is_member).map(|field| field.name).collect();
        if members.is_empty() {
            return;
        }
        let set_in = |node: &Node| {
            let is_set =
                |name: &&str| of.field(name).is_some_and(|field| is_set(&field.reference, node.raw(name)));
            members.iter().copied().filter(is_set).collect::<Vec<_>>()
        };
        let given = set_in(node);
        if old.is_some_and(|old| set_in(old) == given) {
            return;
        }
        let all = members.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        match given.len() {
            0 => self.errors.invalid(&node.here(), "", format!("must specify one of: {all}")),
            1 => {}
            _ => {
                let given = format!("{{{}}}", given.join(", "));
                self.errors.invalid(&node.here(), &given, format!("must specify exactly one of: {all}"));
            }
        }
    }

    /// Checks presence, change and length of a field; returns whether nothing else of it counts.
    fn ends(&mut self, field: &'static Field, rules: &[Rule], node: &Node, old: Option<&Node>) -> bool {
        let name: &'static str = &field.name;
        let set = is_set(&field.reference, node.raw(name));
        let was_set = old.map(|old| is_set(&field.reference, old.raw(name)));
        let before = self.errors.len();
        let mut is_absent = false;
        for rule in rules {
            match rule {
                Rule::Gate(gate) if !self.profile.is_on_or(gate, false) => {
                    if set {
                        self.errors.forbidden(&node.at(name), "");
                    }
                    return true;
                }
                Rule::Immutable if old.is_some() => {
                    self.errors.invalid_value(&node.at(name), &Value::Null, IMMUTABLE);
                }
                Rule::MaxItems(max) if node.len(name) > *max => {
                    self.errors.too_many(&node.at(name), node.len(name), *max);
                }
                Rule::Required if !set => self.errors.required(&node.at(name), ""),
                Rule::Optional if !set => is_absent = true,
                Rule::Update(change) => {
                    if let (Some(old), Some(was_set)) = (old, was_set) {
                        self.validate_change(name, *change, (node, set), (old, was_set), rules);
                    }
                }
                _ => {}
            }
        }
        is_absent || self.errors.len() > before
    }

    fn validate_change(
        &mut self,
        name: &'static str,
        change: Change,
        (node, set): (&Node, bool),
        (old, was_set): (&Node, bool),
        rules: &[Rule],
    ) {
        let mut refuse = |detail: &str| self.errors.invalid_value(&node.at(name), &Value::Null, detail);
        let key = key_of(rules);
        let missing = |item: &Value, list: &[Value]| !list.iter().any(|other| other[key] == item[key]);
        match change {
            Change::Set if set && !was_set => refuse("field cannot be set once created"),
            Change::Unset if was_set && !set => refuse("field cannot be cleared once set"),
            Change::Modify if set && was_set => refuse("field cannot be modified once set"),
            Change::AddItem => {
                for item in node.items(name).filter(|item| missing(item.value(), old.list(name))) {
                    self.errors.forbidden(&item.here(), "item may not be added");
                }
            }
            Change::RemoveItem => {
                for _ in old.list(name).iter().filter(|item| missing(item, node.list(name))) {
                    self.errors.forbidden(&node.at(name), "item may not be removed");
                }
            }
            _ => {}
        }
    }

    fn validate_scalar(&mut self, name: &'static str, rules: &[Rule], node: &Node, old: Option<&Node>) {
        for rule in rules {
            match rule {
                Rule::Format(messages) => self.errors.each_of(node, name, messages(node.text(name))),
                Rule::MaxLength(max) if node.text(name).chars().count() > *max => {
                    let mut error = Error::too_long(&node.at(name), *max);
                    error.detail = format!("may not be more than {max} characters");
                    self.errors.push(error);
                }
                Rule::MaxBytes(max) if node.text(name).len() > *max => {
                    self.errors.too_long(&node.at(name), *max);
                }
                Rule::PoolName => self.validate_pool_name(name, node),
                Rule::Maximum(max) if node.int(name) > *max => {
                    let detail = format!("must be less than or equal to {max}");
                    self.errors.invalid_int(&node.at(name), node.int(name), detail);
                }
                Rule::Minimum(min) if node.int(name) < *min => {
                    let detail = format!("must be greater than or equal to {min}");
                    self.errors.invalid_int(&node.at(name), node.int(name), detail);
                }
                Rule::Monotonic => {
                    let before = old.and_then(|old| old.number(name));
                    if let Some(before) = before.filter(|before| node.int(name) < *before) {
                        let detail = format!("may not be decreased from {before}");
                        self.errors.invalid_int(&node.at(name), node.int(name), detail);
                    }
                }
                Rule::Enum(values) => self.errors.one_of(node, name, values),
                _ => {}
            }
        }
    }

    /// Implements `validate.ResourcePoolName`.
    fn validate_pool_name(&mut self, name: &'static str, node: &Node) {
        let text = node.text(name);
        if text.len() > MAX_POOL_NAME {
            self.errors.too_long(&node.at(name), MAX_POOL_NAME);
        }
        for (index, segment) in text.split('/').enumerate() {
            if segment.is_empty() {
                self.errors.invalid(&node.at(name), text, format!("segment {index}: must not be empty"));
                continue;
            }
            for message in names::is_long_name(segment) {
                self.errors.invalid(&node.at(name), segment, format!("segment {index}: {message}"));
            }
        }
    }

    /// Validates the struct in a field, or the items of its list, if their type has rules.
    fn validate_below(&mut self, field: &'static Field, rules: &[Rule], node: &Node, old: Option<&Node>) {
        let name: &'static str = &field.name;
        let (of, key) = (field.reference.get(), key_of(rules));
        let item = item_of(of);
        if !matches!(of.shape, Shape::List(_)) {
            if !rules_of(of).is_empty() && node.raw(name).is_object() {
                let old = old.and_then(|old| old.get(name));
                self.validate_struct(of, &node.child(name), old.as_ref());
            }
            return;
        }
        if !key.is_empty() {
            self.refuse_duplicates(item, name, key, node);
        }
        if rules_of(item).is_empty() {
            return;
        }
        for found in node.items(name) {
            let is_same = |old: &Node| !key.is_empty() && old.raw(key) == found.raw(key);
            let old = old.and_then(|old| old.items(name).find(is_same));
            self.validate_struct(item, &found, old.as_ref());
        }
    }

    /// Implements `validate.Unique` of items that the field `key` distinguishes.
    fn refuse_duplicates(&mut self, item: &Type, name: &'static str, key: &str, node: &Node) {
        let mut seen = Vec::new();
        for found in node.items(name) {
            if seen.contains(&found.raw(key)) {
                let type_name = format!("{}.{}", item.package, item.short_name());
                let printed = internal_json::compact(&type_name, found.value());
                self.errors.push(Error::duplicate_printed(&found.here(), printed));
            }
            seen.push(found.raw(key));
        }
    }
}

/// Returns the field that distinguishes the items of a list; empty if none does.
fn key_of(rules: &[Rule]) -> &'static str {
    let key = rules.iter().find_map(|rule| match rule {
        Rule::Key(key) => Some(*key),
        _ => None,
    });
    key.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use gotext::value::json;
    use kube_api::resource;
    use kube_api::version::Version;

    #[test]
    fn every_rule_is_of_a_field_of_the_release() {
        let rules: BTreeMap<_, _> = RULES.iter().collect();
        for ((group, name), fields) in rules {
            let entries = resource::of_release(Version::BINARY).iter();
            let package =
                |of: &str| of.split('.').next().filter(|name| !name.is_empty()).unwrap_or("core").to_owned();
            let versions = entries.filter(|entry| package(entry.group) == *group);
            let found: Vec<_> = versions
                .filter_map(|entry| schema::named(&format!("{group}/{}.{name}", entry.version)))
                .collect();
            assert!(!found.is_empty(), "{group}.{name}");
            for rules in fields {
                let FieldRules { name: field, .. } = rules;
                assert!(found.iter().all(|of| of.field(field).is_some()), "{group}.{name}.{field}");
            }
        }
    }

    fn errors(spec: &Value, old: Option<&Value>, gates: &str) -> Vec<String> {
        let profile = ServerProfile::parse(gates).expect("known gates");
        let mut errors = Errors::default();
        let old = old.map(Node::root);
        let name = "scheduling/v1alpha3.PodGroupSpec";
        validate(&mut errors, name, &Node::root(spec), old.as_ref(), &profile);
        errors.0.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn refuses_what_a_field_must_not_be() {
        let spec = json!({
            "schedulingPolicy": {"gang": {}},
            "workloadRef": {"workloadName": "A"},
            "resourceClaims": [{"name": "a", "resourceClaimName": "b"}, {"name": "a"}],
            "disruptionMode": {},
            "priority": 2_000_000_000,
            "preemptionPolicy": "Never",
        });
        let lower = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and \
                     must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation \
                     is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        assert_eq!(
            errors(&spec, None, ""),
            [
                format!("workloadRef.workloadName: Invalid value: \"A\": {lower}"),
                "workloadRef.templateName: Required value".to_owned(),
                "schedulingPolicy.gang.minCount: Required value".to_owned(),
                "resourceClaims[1]: Duplicate value: {\"name\":\"a\"}".to_owned(),
                "resourceClaims[1]: Invalid value: \"\": must specify one of: `resourceClaimName`, \
                 `resourceClaimTemplateName`"
                    .to_owned(),
                "disruptionMode: Invalid value: \"\": must specify one of: `single`, `all`".to_owned(),
                "priority: Invalid value: 2000000000: must be less than or equal to 1000000000".to_owned(),
                "preemptionPolicy: Forbidden".to_owned(),
            ]
        );
    }

    #[test]
    fn refuses_changes() {
        let old = json!({"schedulingPolicy": {"gang": {"minCount": 2}}, "priority": 1});
        let new = json!({"schedulingPolicy": {"gang": {"minCount": 3}}, "priority": 1});
        assert_eq!(errors(&new, Some(&old), ""), [""; 0]);
        let new = json!({"schedulingPolicy": {"basic": {}}, "priority": 2});
        assert_eq!(
            errors(&new, Some(&old), ""),
            [
                "schedulingPolicy.basic: Invalid value: null: field is immutable",
                "schedulingPolicy.gang: Invalid value: null: field cannot be cleared once set",
                "priority: Invalid value: null: field is immutable",
            ]
        );
    }

    #[test]
    fn formats_are_checked() {
        assert_eq!(is_uuid("6a8b5b9c-0000-4000-8000-00000000000a"), [""; 0]);
        assert_eq!(is_uuid("6A8b5b9c-0000-4000-8000-000000000000").len(), 1);
        assert_eq!(is_prefixed_label_key("acme.io/foo"), [""; 0]);
        assert_eq!(is_prefixed_label_key("foo"), ["must include a prefix (e.g. 'example.com/key')"]);
    }
}
