//! The rules for security contexts that `SecurityContextConstraints` and `PodSecurityPolicy`, which have the same origin,
//! share: what they fill in, and what they check.
//!
//! Source: `k8s.io/kubernetes/pkg/security/podsecuritypolicy/{capabilities,seccomp,selinux,sysctl,user,util}`.

use std::collections::BTreeSet;

use gotext::quote;
use kube_api::field::{self, Path};
use kube_api::{Map, Object, Value};
use kube_registry::pod::VOLUME_SOURCES;

/// The annotation with a pod's seccomp profile before there was a field.
pub(super) const POD_SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";

/// The same for a container, whose name follows.
pub(super) const CONTAINER_SECCOMP: &str = "container.seccomp.security.alpha.kubernetes.io/";

/// The first and the last of some numbers.
pub(super) type Range = (i64, i64);

/// The rule about the user that containers run as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RunAsUser {
    Any,
    NonRoot,
    #[cfg_attr(not(feature = "openshift"), expect(dead_code, reason = "PodSecurityPolicy has ranges alone"))]
    Uid(i64),
    /// One of these ranges.
    Ranges(Vec<Range>),
}

/// The fields of a constraint or of a policy that both have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a>(pub(super) &'a Value);

impl<'a> Rules<'a> {
    /// Whether `field` is true.
    pub(super) fn allows(self, field: &str) -> bool {
        self.flag(field) == Some(true)
    }

    /// Returns the boolean in `field`.
    pub(super) fn flag(self, field: &str) -> Option<bool> {
        self.0.at(field)?.as_bool()
    }

    /// Returns the list in `field`.
    pub(super) fn list(self, field: &str) -> &'a [Value] {
        self.0.list(field)
    }

    /// Returns the list of texts in `field`.
    pub(super) fn texts(self, field: &str) -> impl Iterator<Item = &'a str> {
        self.list(field).iter().filter_map(Value::as_str)
    }
}

impl RunAsUser {
    /// Returns the user for a container without one.
    pub(super) fn generated(&self) -> Option<i64> {
        match self {
            Self::Any | Self::NonRoot => None,
            Self::Uid(uid) => Some(*uid),
            Self::Ranges(ranges) => ranges.first().map(|(min, _)| *min),
        }
    }

    /// Checks the user of a container, whose security context is at `path`. `print` formats the ranges.
    pub(super) fn check(
        &self,
        pod: &Object,
        container: &Value,
        path: &Path,
        print: fn(&[Range]) -> String,
    ) -> Option<field::Error> {
        let user = effective(pod, container, "runAsUser").and_then(Value::as_i64);
        let non_root = effective(pod, container, "runAsNonRoot").and_then(Value::as_bool);
        let (at_user, at_flag) = (path.child("runAsUser"), path.child("runAsNonRoot"));
        let invalid = |user: i64, detail: String| field::Error::invalid(&at_user, &Value::from(user), detail);
        match (self, user) {
            (Self::Any, _) => None,
            (Self::NonRoot, _) => match (non_root, user) {
                (None, None) => Some(field::Error::required(&at_flag, "must be true")),
                (Some(false), _) => {
                    Some(field::Error::invalid(&at_flag, &Value::Bool(false), "must be true"))
                }
                (_, Some(0)) => Some(invalid(0, "running with the root UID is forbidden".to_owned())),
                _ => None,
            },
            (Self::Uid(_) | Self::Ranges(_), None) => Some(field::Error::required(&at_user, "")),
            (Self::Uid(uid), Some(user)) => (user != *uid).then(|| invalid(user, format!("must be: {uid}"))),
            (Self::Ranges(ranges), Some(user)) => (!is_within(ranges, user))
                .then(|| invalid(user, format!("must be in the ranges: {}", print(ranges)))),
        }
    }
}

/// Whether one of the ranges has `number`.
pub(super) fn is_within(ranges: &[Range], number: i64) -> bool {
    ranges.iter().any(|(min, max)| (*min..=*max).contains(&number))
}

/// Returns the ranges in the field `ranges` of a rule.
pub(super) fn ranges(rule: &Value) -> Vec<Range> {
    rule.list("ranges").iter().map(|range| (range.int("min"), range.int("max"))).collect()
}

/// Fills in the groups and the SELinux options of a pod without them.
pub(super) fn fill_pod(
    pod: &mut Object,
    [supplemental_group, fs_group]: [Option<i64>; 2],
    se_linux: Option<&Value>,
) {
    let values = [
        ("supplementalGroups", supplemental_group.map(|group| Value::from(vec![group]))),
        ("fsGroup", fs_group.map(Value::from)),
        ("seLinuxOptions", se_linux.cloned()),
    ];
    for (field, value) in values {
        let path = ["spec", "securityContext", field];
        if pod.at(path).is_none()
            && !pod.was_given_empty(&path)
            && let Some(value) = value
        {
            pod.set(path, value);
        }
    }
}

/// Returns the capabilities with those that the rules add and drop; nothing if that changes nothing.
///
/// Source: `defaultCapabilities.Generate`.
pub(super) fn generated_capabilities(rules: Rules<'_>, given: Option<&Value>) -> Option<Value> {
    let own = |field: &str| given.map(|given| names(given, field)).unwrap_or_default();
    let (added, dropped) = (own("add"), own("drop"));
    let mut all_added: BTreeSet<&str> = rules.texts("defaultAddCapabilities").collect();
    all_added.retain(|name| !dropped.contains(name));
    all_added.extend(&added);
    let mut all_dropped: BTreeSet<&str> = rules.texts("requiredDropCapabilities").collect();
    all_dropped.extend(&dropped);
    if all_added.len() == added.len() && all_dropped.len() == dropped.len() {
        return None;
    }
    let mut capabilities = Map::new();
    for (field, names) in [("add", all_added), ("drop", all_dropped)] {
        if !names.is_empty() {
            capabilities.insert(field, names.into_iter().collect());
        }
    }
    Some(Value::Object(capabilities))
}

/// Checks the capabilities of a container; `invalid` returns the error about those that are printed.
///
/// Source: `defaultCapabilities.Validate`.
pub(super) fn check_capabilities(
    errors: &mut Vec<field::Error>,
    rules: Rules<'_>,
    given: Option<&Value>,
    path: &Path,
    invalid: fn(&Path, Capabilities<'_>, String) -> field::Error,
) {
    let required = || rules.texts("requiredDropCapabilities");
    let Some(given) = given else {
        if rules.texts("defaultAddCapabilities").next().is_some() || required().next().is_some() {
            let detail = "required capabilities are not set on the securityContext";
            errors.push(invalid(path, Capabilities::None, detail.to_owned()));
        }
        return;
    };
    if rules.texts("allowedCapabilities").any(|name| name == "*") {
        return;
    }
    for name in given.list("add").iter().filter_map(Value::as_str) {
        let is_listed = |field: &str| rules.texts(field).any(|listed| listed == name);
        if !is_listed("defaultAddCapabilities") && !is_listed("allowedCapabilities") {
            let detail = "capability may not be added";
            errors.push(field::Error::invalid_text(&path.child("add"), name, detail));
        }
    }
    let dropped = names(given, "drop");
    for name in required().filter(|name| !dropped.contains(name)) {
        let detail = format!("{name} is required to be dropped but was not found");
        errors.push(invalid(&path.child("drop"), Capabilities::Dropped(given.at("drop")), detail));
    }
}

/// What messages about capabilities print.
#[derive(Clone, Copy)]
pub(super) enum Capabilities<'a> {
    /// The absent capabilities of a container.
    None,
    /// The list of those that it drops.
    Dropped(Option<&'a Value>),
}

/// Returns the seccomp profile of a field in the format of the annotation.
pub(super) fn seccomp_annotation(profile: &Value) -> String {
    match profile.text("type") {
        "Unconfined" => "unconfined".to_owned(),
        "RuntimeDefault" => "runtime/default".to_owned(),
        "Localhost" => {
            let path = profile.at("localhostProfile").and_then(Value::as_str);
            path.map_or_else(String::new, |path| format!("localhost/{path}"))
        }
        _ => String::new(),
    }
}

/// Checks a seccomp profile, which messages place at `path`. `printed` are the allowed ones as messages name them;
/// `has_synonyms` says whether the default profile has two names.
pub(super) fn check_seccomp(
    errors: &mut Vec<field::Error>,
    path: impl Fn() -> Path,
    profile: &str,
    (allowed, printed): (&[&str], &str),
    has_synonyms: bool,
) {
    let is_default = |profile: &str| ["docker/default", "runtime/default"].contains(&profile);
    let is_allowed =
        |allowed: &&str| *allowed == profile || has_synonyms && is_default(allowed) && is_default(profile);
    if allowed.contains(&"*") || allowed.iter().any(is_allowed) {
        return;
    }
    if !allowed.is_empty() {
        let detail = format!("{profile} is not an allowed seccomp profile. Valid values are {printed}");
        errors.push(field::Error::forbidden(&path(), detail));
    } else if !profile.is_empty() {
        errors.push(field::Error::forbidden(&path(), "seccomp may not be set"));
    }
}

/// Returns the field that is the source of `volume`, if it has a known one.
pub(super) fn source_of(volume: &Value) -> Option<&'static str> {
    VOLUME_SOURCES.into_iter().find(|source| volume.has([*source]))
}

/// Whether `volume` projects only the token of the service account, and what comes with it: `is_certificate` says which
/// config maps may.
///
/// Source: `IsOnlyServiceAccountTokenSources`.
pub(super) fn projects_only_the_token(volume: &Value, is_certificate: fn(&Value) -> bool) -> bool {
    let is_namespace = |item: &Value| {
        item.text("path") == "namespace"
            && item.text(["fieldRef", "apiVersion"]) == "v1"
            && item.text(["fieldRef", "fieldPath"]) == "metadata.namespace"
    };
    volume.list(["projected", "sources"]).iter().all(|source| {
        let (token, map, api) =
            (source.at("serviceAccountToken"), source.at("configMap"), source.at("downwardAPI"));
        (token.is_some() || map.is_some() || api.is_some())
            && token.is_none_or(|token| token.text("path") == "token" && token.text("audience").is_empty())
            && map.is_none_or(is_certificate)
            && api.is_none_or(|api| api.list("items").iter().all(is_namespace))
    })
}

/// Returns the value of a field that applies to a container: its own, else the pod's.
pub(super) fn effective<'a>(pod: &'a Object, container: &'a Value, field: &str) -> Option<&'a Value> {
    container.at(["securityContext", field]).or_else(|| pod.at(["spec", "securityContext", field]))
}

/// Returns the names in a list of capabilities.
pub(super) fn names<'a>(capabilities: &'a Value, field: &str) -> BTreeSet<&'a str> {
    let names = capabilities.at(field).and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Checks that the SELinux options match the `wanted` ones, if any.
pub(super) fn se_linux(
    errors: &mut Vec<field::Error>,
    wanted: Option<&Value>,
    path: &Path,
    given: Option<&Value>,
) {
    let Some(wanted) = wanted else { return };
    let Some(given) = given else {
        errors.push(field::Error::required(path, ""));
        return;
    };
    for part in ["level", "role", "type", "user"] {
        let (wanted, given) = (wanted.text(part), given.text(part));
        if wanted != given && !(part == "level" && are_equal_levels(wanted, given)) {
            errors.push(field::Error::invalid_text(&path.child(part), given, format!("must be {wanted}")));
        }
    }
}

/// Whether two levels differ only in the order of their categories.
fn are_equal_levels(left: &str, right: &str) -> bool {
    let parts = |level: &str| {
        let (sensitivity, categories) = level.split_once(':')?;
        let mut categories: Vec<String> = categories.split(',').map(str::to_owned).collect();
        categories.sort();
        Some((sensitivity.to_owned(), categories))
    };
    parts(left).zip(parts(right)).is_some_and(|(left, right)| left == right)
}

/// Checks the sysctls of a pod, which messages place below `path`: a name that is `forbidden` is refused, and one that
/// is neither safe nor `allowed`. A name may end with `*`.
pub(super) fn sysctls(
    errors: &mut Vec<field::Error>,
    pod: &Object,
    path: &Path,
    [forbidden, allowed]: [&[&str]; 2],
    is_safe: impl Fn(&str) -> bool,
) {
    let is_listed = |list: &[&str], name: &str| {
        list.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => *pattern == name,
        })
    };
    for (index, sysctl) in pod.list(["spec", "securityContext", "sysctls"]).iter().enumerate() {
        let name = sysctl.text("name");
        let unsafety = if is_listed(forbidden, name) {
            ""
        } else if is_safe(name) || is_listed(allowed, name) {
            continue;
        } else {
            "unsafe "
        };
        let detail = format!("{unsafety}sysctl {} is not allowed", quote(name));
        errors.push(field::Error::forbidden(&path.index(index), detail));
    }
}
