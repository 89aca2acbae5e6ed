//! What OpenAPI documents say of fields beyond their types: which are required, defaults, the values of named types.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use gotext::encoding_json;

use super::{Field, Scalar, Shape, Type};
use crate::release::{self, table};
use crate::version::Version;
use crate::{Map, Value};

static TEXT: &str = table!("published.txt");

/// The fields that a release began or ceased to require: package and type, field, and the minor since when.
const CHANGED: &[(&str, &str, u32)] = &[
    ("apps/v1.ControllerRevision", "data", 37),
    ("apps/v1.ControllerRevision", "revision", 37),
    ("apps/v1.DaemonSet", "spec", 37),
    ("apps/v1.DaemonSetCondition", "status", 37),
    ("apps/v1.DaemonSetCondition", "type", 37),
    ("apps/v1.Deployment", "spec", 37),
    ("apps/v1.DeploymentCondition", "status", 37),
    ("apps/v1.DeploymentCondition", "type", 37),
    ("apps/v1.ReplicaSet", "spec", 37),
    ("apps/v1.ReplicaSetCondition", "status", 37),
    ("apps/v1.ReplicaSetCondition", "type", 37),
    ("apps/v1.StatefulSet", "spec", 37),
    ("apps/v1.StatefulSetCondition", "status", 37),
    ("apps/v1.StatefulSetCondition", "type", 37),
    ("flowcontrol/v1.FlowSchema", "spec", 37),
    ("flowcontrol/v1.FlowSchemaCondition", "type", 37),
    ("flowcontrol/v1.LimitedPriorityLevelConfiguration", "limitResponse", 37),
    ("flowcontrol/v1.PriorityLevelConfiguration", "spec", 37),
    ("flowcontrol/v1.PriorityLevelConfigurationCondition", "type", 37),
    ("resource/v1.DeviceClass", "spec", 37),
    ("resource/v1.ResourceClaim", "spec", 37),
    ("resource/v1.ResourceClaimTemplate", "spec", 37),
    ("resource/v1.ResourceClaimTemplateSpec", "spec", 37),
    ("resource/v1beta1.DeviceClass", "spec", 37),
    ("resource/v1beta1.ResourceClaim", "spec", 37),
    ("resource/v1beta1.ResourceClaimTemplate", "spec", 37),
    ("resource/v1beta1.ResourceClaimTemplateSpec", "spec", 37),
    ("resource/v1beta2.DeviceClass", "spec", 37),
    ("resource/v1beta2.ResourceClaim", "spec", 37),
    ("resource/v1beta2.ResourceClaimTemplate", "spec", 37),
    ("resource/v1beta2.ResourceClaimTemplateSpec", "spec", 37),
];

/// The values that named types did not always have, with the minor since when.
const LATER_VALUES: &[(&str, &str, u32)] = &[("apps/v1.StatefulSetUpdateStrategyType", "Recreate", 37)];

/// A union: the field that chooses, if there is one, and the fields that are chosen.
#[derive(Debug, PartialEq, Eq)]
pub struct Union {
    /// The field whose value names the chosen one.
    pub discriminator: Option<&'static str>,
    /// The fields of which one is set.
    pub fields: Vec<&'static str>,
}

#[derive(Default)]
struct Published {
    /// Whether a field of a type is required.
    required: BTreeMap<(&'static str, &'static str), bool>,
    defaults: BTreeMap<(&'static str, &'static str), Value>,
    values: BTreeMap<&'static str, Vec<String>>,
    unions: BTreeMap<&'static str, Union>,
}

fn published() -> &'static Published {
    static PUBLISHED: OnceLock<Published> = OnceLock::new();
    PUBLISHED.get_or_init(|| {
        let mut found = Published::default();
        for line in release::body(TEXT).lines() {
            let mut words = line.splitn(4, ' ');
            let mut word = || words.next().unwrap_or_default();
            match (word(), word()) {
                (kind @ ("required" | "optional"), place) => {
                    found.required.insert((place, word()), kind == "required");
                }
                ("default", place) => {
                    let field = word();
                    found.defaults.insert((place, field), json(word()));
                }
                ("values", place) => {
                    let texts = line.split_once(place).map_or("", |(_, texts)| texts);
                    let values = json(texts.trim());
                    let texts = values.as_array().into_iter().flatten().filter_map(Value::as_str);
                    found.values.insert(place, texts.map(str::to_owned).collect());
                }
                ("union", place) => {
                    let discriminator = Some(word()).filter(|name| *name != "-");
                    found.unions.insert(place, Union { discriminator, fields: word().split(' ').collect() });
                }
                _ => unreachable!("the generator writes no such line: {line}"),
            }
        }
        found
    })
}

fn json(text: &str) -> Value {
    encoding_json::from_slice(text.as_bytes()).expect("the generator writes JSON")
}

impl Type {
    /// Returns the name in the tables, such as `core/v1.PodSpec`; empty for types without a name.
    fn path(&self) -> String {
        if self.package.is_empty() {
            String::new()
        } else {
            format!("{}.{}", self.package, self.short_name())
        }
    }

    /// Returns the values that the documents of `release` list for a named type.
    pub fn values(&self, release: Version) -> impl Iterator<Item = &'static str> {
        let path = self.path();
        let values = published().values.get(path.as_str()).into_iter().flatten().map(String::as_str);
        values.filter(move |value| {
            let later = LATER_VALUES.iter().find(|(of, later, _)| *of == path && later == value);
            later.is_none_or(|(.., since)| release.minor >= *since)
        })
    }

    /// Returns the union that a struct declares.
    pub fn union(&self) -> Option<&'static Union> {
        published().unions.get(self.path().as_str())
    }

    /// Whether `field` of this struct is required by the documents of `release`.
    pub fn requires(&self, field: &Field, release: Version) -> bool {
        let path = self.path();
        let said = published().required.get(&(path.as_str(), field.name.as_ref()));
        let is_required = said.copied().unwrap_or(!field.omit_empty);
        let has_changed = |(of, name, since): &(&str, &str, u32)| {
            *of == path && *name == field.name && release.minor < *since
        };
        is_required != CHANGED.iter().any(has_changed)
    }

    /// Returns the default of `field` of this struct in documents; `null` if there is none.
    pub fn default_of(&self, field: &Field) -> Value {
        let path = self.path();
        if let Some(said) = published().defaults.get(&(path.as_str(), field.name.as_ref())) {
            return said.clone();
        }
        let target = field.reference.get();
        match &target.shape {
            _ if field.reference.pointer => Value::Null,
            Shape::Struct(_) => Value::Object(Map::new()),
            _ if field.omit_empty => Value::Null,
            Shape::Scalar(Scalar::String) => "".into(),
            Shape::Scalar(Scalar::Bool) => false.into(),
            Shape::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::Uint8 | Scalar::Float64) => 0.into(),
            _ => Value::Null,
        }
    }
}
