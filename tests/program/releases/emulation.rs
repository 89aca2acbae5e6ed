//! The page about the parts of an older release that are not emulated, generated from the tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use kadmit::plugin;
use kube_api::resource::{self, ApiResource};
use kube_api::version::Version;

const HEAD: &str = "\
# Parts of an older release that are not emulated

`--kubernetes-version` makes kadmit emulate an older release: its plugins in its order, its kinds and fields, its
feature gates, its deprecation warnings. This page is generated from kadmit's tables by a test, and lists what differs
from that release.

## In 1.37

Its data is that of the release, but no server of it was asked. Its rules are read in sources of July 2026, before the first
candidate, and in release notes:

- The texts of hand-written rules about fields behind gates that are off by default are inferred: options of bind mounts,
  modes of empty directories, owners of files, protocols of probes. So is what the server does about them when the gate is
  off: it drops them. That `*.k8s.io` is reserved in names of requesters and responders is not checked.
- New fields of ResourceSlices and ResourceClaims are dropped without their gates, and not validated with them.
- A StatefulSet with the strategy `Recreate` is refused without its gate, in the words of 1.36.
- The list of plugins is that of 1.36 with what release notes say; whether JobValidation is still there is unknown.
- HorizontalPodAutoscalers get no `metadata.generation`; a pod whose update sets `allowPrivilegeEscalation: false` next to
  CAP_SYS_ADMIN is refused as before.
- Expressions are those of 1.36: `duration(1)` compiles, and estimated costs do not know that names are short.
- A node's request for a certificate is not compared with the projections of its pod.
- The bootstrap roles of kinds behind gates that are off by default are those of 1.36.

Next to 1.36, the manifests of a dozen repositories differ in this alone: policies and their bindings whose names end in
`.static.k8s.io` are refused, where 1.36 warns (6), and no longer decide about others (3); StatefulSets get
`maxUnavailable: 1`, as their gate is on again (27); errors about owner references name the item, and say that a field is
required (3); refusals of changed Pods show the fields that came with 1.37 (125); `emptyDir.mode` is a field (1).

## In every older release

- Validation is that of 1.37, which asks for the release wherever releases differ: rules that came later, that had other
  words, and that are gone. How well that is known depends on the release, as the next section says. Rules that
  changed in 1.22 or 1.23 are assumed to have done so in 1.23 where no announcement says otherwise. Errors of rules that
  are gone follow the others.
- New expressions of policies, webhooks, definitions and device selectors may use the functions, macros and optional values
  of the release before, as a server must be able to go back to that one; stored ones may use all that there is. An
  expression that an update leaves as it is counts as new, except in a definition. Numbers of two types can be compared in
  every release, and costs are those of 1.36.
- Warnings are those of the release; those of 1.22 and 1.24 follow from their neighbours and announcements, and before 1.22
  there are only those about deprecations and webhooks.
- Defaults are those of the last release that has the version; fields that the release does not have are left out.
  Servers before 1.13 are assumed to fill in the same as 1.13.
- Feature gates that are gone are accepted. Only the plugins that `kadmit plugins -o wide` lists with them depend on
  them, PodSecurityPolicy and the initializers of objects.
- The bootstrap roles of RBAC are those of the release; those of 1.15 and 1.22 are inferred from their neighbours.
- A release is its latest patch.
- The annotation `volume.alpha.kubernetes.io/node-affinity` of volumes, which 1.10 alone reads, is ignored.
- Before 1.34, structures in errors have the syntax of Go, with the fields of the release; every pointer has the same
  address.
- Errors about addresses of Services out of range have the words of 1.10 to 1.19, of 1.20 and 1.21, of 1.22, or of 1.23
  and later. That the third are those of 1.22 is inferred from messages of servers, not read in its source. A second
  range of addresses is accepted before 1.20 without the gate IPv6DualStack.

## How well a release is known

- 1.25, 1.28, 1.30, 1.32 and 1.34 are measured: of 3,500 answers of servers of each that are not in this repository, and
  that its rules were partly made with, 3,500, 3,500, 3,500, 3,499 and 3,500 agree whole, and all in the verdict. Fewer of
  them are kept here ([testdata/releases-recorded](https://github.com/OWNER/kadmit/blob/main/testdata/releases-recorded/README.md), with each deviation).
- Real manifests changed at random, as dry-run CREATEs, were sent to servers of 1.25, 1.28, 1.30 and 1.34: 5,833 of 5,851,
  5,827 of 5,847, 5,864 of 5,872 and 5,849 of 5,856 answers agree whole. Half of the differences are numbers such as
  `1000.0` for an integer: a server refuses them, and kadmit reads them as kubectl writes them. Of 28,231 objects of
  upstream's unit tests on 1.28 and 1.34, 23 answers differ; nine of these name objects that the server has of itself. 1.32
  was asked last: 5,865 of 5,873 manifests and 12,237 of 12,253 of upstream's objects agree whole.
- Updates, by upstream's objects and by changed manifests, were sent to servers of these five. Of every seventh of 87,495
  answers, 2,089 of 2,377, 2,105 of 2,375, 2,188 of 2,463, 2,193 of 2,486 and 2,858 of 2,871 agree whole, and all but 2, 3, 3,
  3 and 5 in the verdict. Nearly all others refuse a change by showing the difference of two specifications, which servers
  before 1.34 write in the form of go-cmp, and kadmit in that of 1.34.
- Of 250 changed custom resources, with 70 definitions, on each of 1.25, 1.28, 1.30 and 1.34 all verdicts agree, and 249, 248,
  248 and 247 answers whole.
- 1.26, 1.27, 1.29, 1.31, 1.33 and 1.35 lie between two that are measured, and where these differ the boundary is read in
  the sources of each release.
- 1.24 and before were made by comparing sources alone; no answer of such a server was compared.

## Release by release

The number of plugins that do more than they did, of kinds that are validated by the rules of the version that replaced
theirs, of kinds of which only the fields are validated, and of rules of the release that are gone and emulated.

";

/// The knowledge about the rules for a kind that is gone; nothing if the kind still exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    OfTheSuccessor,
    None,
}

fn rules(entry: &ApiResource) -> Option<Rules> {
    let kind = entry.group_version_kind();
    if resource::by_kind(&kind).is_some() {
        return None;
    }
    if !kube_registry::of(&kind).is_some_and(kube_registry::Strategy::is_validated) {
        return Some(Rules::None);
    }
    kube_registry::stored::stored_as(&kind)
        .filter(|_| !kube_registry::has_own_rules(&kind))
        .map(|_| Rules::OfTheSuccessor)
}

fn releases() -> impl Iterator<Item = Version> {
    (Version::OLDEST.minor..Version::BINARY.minor).map(Version::minor)
}

/// Returns the lines of the kinds with such rules, with the releases that serve them.
fn kinds(wanted: Rules) -> String {
    let mut served: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for release in releases() {
        for entry in resource::of_release(release).iter().filter(|entry| rules(entry) == Some(wanted)) {
            let name = format!("`{}` {}", entry.group_version(), entry.kind);
            served.entry(name).or_default().push(release);
        }
    }
    let mut lines = String::new();
    for (name, releases) in served {
        if let (Some(first), Some(last)) = (releases.first(), releases.last()) {
            let _ = writeln!(lines, "| {name} | {first} | {last} |");
        }
    }
    lines
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str(
        "| release | plugins | as their successors | fields alone | rules gone |\n|---|---|---|---|---|\n",
    );
    for release in releases() {
        let plugins = plugin::of_release(release);
        let plugins = plugins.iter().filter(|plugin| plugin.changes_after(release).next().is_some()).count();
        let count = |wanted| {
            resource::of_release(release).iter().filter(|entry| rules(entry) == Some(wanted)).count()
        };
        let (newer, none) = (count(Rules::OfTheSuccessor), count(Rules::None));
        let gone = kube_registry::rules_gone_since(release);
        let _ = writeln!(page, "| {release} | {plugins} | {newer} | {none} | {gone} |");
    }
    page.push_str("\n## Plugins that do more than they did\n\n| plugin | in releases before | although |\n|---|---|---|\n");
    for found in plugin::all() {
        for (since, change) in found.changes_after(Version::OLDEST) {
            let _ = writeln!(page, "| {} | {since} | {change} |", found.name);
        }
    }
    let head = "| kind | from | to |\n|---|---|---|\n";
    let _ = write!(page, "\n## Kinds that are validated as their successors\n\n{head}");
    page.push_str(&kinds(Rules::OfTheSuccessor));
    let _ = write!(page, "\n## Kinds of which only the fields are checked\n\n{head}");
    page.push_str(&kinds(Rules::None));
    page
}

#[test]
fn the_page_is_what_the_tables_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/emulation.md");
    let page = page();
    if env::var_os("KADMIT_UPDATE").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/emulation.md is not up to date; KADMIT_UPDATE=1 cargo test writes it");
}
