//! A constraint in a namespace: the namespace supplies the values that the constraint leaves open.
//!
//! Source: `sccmatching/{matcher,provider}.go`.

use std::sync::Arc;

use crate::plugin::openshift::scc::uid_block::Block;
use crate::plugin::security_context::{Range, Rules, RunAsUser, ranges};
use kube_api::{Object, Value};

/// The block of user numbers of a namespace.
pub(super) const UID_RANGE: &str = "openshift.io/sa.scc.uid-range";
/// The annotation with a namespace's SELinux categories.
pub(super) const MCS: &str = "openshift.io/sa.scc.mcs";
/// The blocks of group numbers of a namespace.
const SUPPLEMENTAL_GROUPS: &str = "openshift.io/sa.scc.supplemental-groups";

/// A constraint with the values that a namespace adds.
#[derive(Clone, Debug)]
pub(crate) struct Provider {
    constraint: Arc<Object>,
    pub(super) run_as_user: RunAsUser,
    /// The SELinux options that are required, if any.
    pub(super) se_linux: Option<Value>,
    /// The groups that are allowed, if not all are.
    pub(super) fs_group: Option<Vec<Range>>,
    pub(super) supplemental_groups: Option<Vec<Range>>,
}

impl Provider {
    /// Returns the constraint in `namespace`; or why it is not usable.
    pub(super) fn new(constraint: &Arc<Object>, namespace: &Object) -> Result<Self, String> {
        let name = constraint.name();
        let allocated = |what: &str, why: String| {
            let namespace = namespace.name();
            format!(
                "unable to find pre-allocated {what} annotation for namespace {namespace} while trying to configure SCC \
                 {name}: {why}"
            )
        };
        let value = &constraint.value;
        let kind = |field: &str| value.text([field, "type"]);
        let number = |field: &str| value.at(["runAsUser", field]).and_then(Value::as_i64);
        let (mut min, mut max) = (number("uidRangeMin"), number("uidRangeMax"));
        if kind("runAsUser") == "MustRunAsRange" && min.is_none() && max.is_none() {
            let block = uid_range(namespace).map_err(|why| allocated("uid", why))?;
            (min, max) = (Some(block.start.into()), Some(block.end.into()));
        }
        let mut options = value.at(["seLinuxContext", "seLinuxOptions"]).cloned();
        if kind("seLinuxContext") == "MustRunAs"
            && value.text(["seLinuxContext", "seLinuxOptions", "level"]).is_empty()
        {
            let level = level(namespace).map_err(|why| allocated("mcs", why))?;
            let mut filled = options.and_then(|options| options.as_object().cloned()).unwrap_or_default();
            filled.insert("level".to_owned(), level.into());
            options = Some(Value::Object(filled));
        }
        let groups = |field: &str, single: bool| -> Result<Vec<Range>, String> {
            let own = value.at(field).map(ranges).unwrap_or_default();
            if kind(field) != "MustRunAs" || !own.is_empty() {
                return Ok(own);
            }
            let blocks = group_blocks(namespace).map_err(|why| allocated("group", why))?;
            let end = |block: &Block| if single { block.start } else { block.end };
            let range = |block: &Block| (block.start.into(), end(block).into());
            Ok(blocks.iter().take(if single { 1 } else { usize::MAX }).map(range).collect())
        };
        let fs_groups = groups("fsGroup", true)?;
        let supplemental_groups = groups("supplementalGroups", false)?;

        let refuse = |why: String| {
            format!("error creating provider for SCC {name} in namespace {}: {why}", namespace.name())
        };
        let unknown =
            |what: &str, field: &str| refuse(format!("Unrecognized {what} strategy type {}", kind(field)));
        let run_as_user = match kind("runAsUser") {
            "RunAsAny" => RunAsUser::Any,
            "MustRunAsNonRoot" => RunAsUser::NonRoot,
            "MustRunAs" => {
                RunAsUser::Uid(number("uid").ok_or_else(|| refuse("MustRunAs requires a UID".to_owned()))?)
            }
            "MustRunAsRange" => RunAsUser::Ranges(vec![(
                min.ok_or_else(|| refuse("MustRunAsRange requires a UIDRangeMin".to_owned()))?,
                max.ok_or_else(|| refuse("MustRunAsRange requires a UIDRangeMax".to_owned()))?,
            )]),
            _ => return Err(unknown("RunAsUser", "runAsUser")),
        };
        let se_linux = match kind("seLinuxContext") {
            "RunAsAny" => None,
            "MustRunAs" => options,
            _ => return Err(unknown("SELinuxContext", "seLinuxContext")),
        };
        let strategy = |what, field: &str, ranges| match kind(field) {
            "RunAsAny" => Ok(None),
            "MustRunAs" => Ok(Some(ranges)),
            _ => Err(unknown(what, field)),
        };
        let fs_group = strategy("FSGroup", "fsGroup", fs_groups)?;
        let supplemental_groups = strategy("SupplementalGroups", "supplementalGroups", supplemental_groups)?;
        Ok(Self { constraint: constraint.clone(), run_as_user, se_linux, fs_group, supplemental_groups })
    }

    /// Returns the constraint as it is stored.
    pub(super) fn constraint(&self) -> &Arc<Object> {
        &self.constraint
    }

    /// Returns the name of the constraint.
    pub(super) fn name(&self) -> &str {
        self.constraint.name()
    }

    /// Returns the rules of the constraint.
    pub(super) fn rules(&self) -> Rules<'_> {
        Rules(&self.constraint.value)
    }

    /// Returns the text of `field`.
    pub(super) fn text(&self, field: &str) -> &str {
        self.constraint.text(field)
    }

    /// Returns the drivers of flex volumes, if they are limited.
    pub(super) fn flex_drivers(&self) -> impl Iterator<Item = &str> + use<'_> {
        let drivers = self.constraint.list("allowedFlexVolumes").iter();
        drivers.map(|volume| volume.text("driver"))
    }
}

fn uid_range(namespace: &Object) -> Result<Block, String> {
    match namespace.annotation(UID_RANGE) {
        None => Err(format!("unable to find annotation {UID_RANGE}")),
        Some("") => Err(format!("found annotation {UID_RANGE} but it was empty")),
        Some(block) => Block::parse(block),
    }
}

fn level(namespace: &Object) -> Result<String, String> {
    match namespace.annotation(MCS) {
        None => Err(format!("unable to find annotation {MCS}")),
        Some("") => Err(format!("found annotation {MCS} but it was empty")),
        Some(level) => Ok(level.to_owned()),
    }
}

/// Returns the blocks of group ids; those of user ids if the namespace has none.
fn group_blocks(namespace: &Object) -> Result<Vec<Block>, String> {
    let blocks = namespace.annotation(SUPPLEMENTAL_GROUPS).or_else(|| namespace.annotation(UID_RANGE));
    match blocks {
        None => Err(format!(
            "unable to find supplemental group or uid annotation for namespace {}",
            namespace.name()
        )),
        Some("") => {
            Err(format!("unable to find groups using {SUPPLEMENTAL_GROUPS} and {UID_RANGE} annotations"))
        }
        Some(blocks) => blocks.split(',').map(Block::parse).collect(),
    }
}
