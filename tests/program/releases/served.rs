//! Every kind of every release is answered by that release, and refused by those that do not have it.

use std::collections::BTreeSet;
use std::sync::Arc;

use gotext::source::Node;
use gotext::value::json;
use kadmit::admission::UserInfo;
use kadmit::cluster::Cluster;
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Prepared, Request, Unevaluated};
use kube_api::decode::FieldValidation;
use kube_api::resource::{self, Served};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{GroupVersionKind, Name};

fn server(release: &str) -> Evaluator {
    let mut flags = Flags::default();
    flags.set("--kubernetes-version", release).expect("a release");
    flags.set("--admission-control", "AlwaysAdmit").expect("a plugin");
    let profile = Arc::new(flags.profile().expect("gates"));
    let cluster = Arc::new(Cluster::new());
    let configuration =
        Configuration::new(&flags, profile.clone(), cluster.clone()).expect("a server that starts");
    Evaluator::new(cluster, configuration.chain, profile, true)
}

fn create(kind: &GroupVersionKind, profile: &ServerProfile) -> Prepared {
    let object =
        json!({"apiVersion": kind.api_version(), "kind": kind.kind.to_string(), "metadata": {"name": "a"}});
    let request = Request {
        place: None,
        operation: None,
        resource: None,
        kind: Some(kind.clone()),
        sub_resource: Name::Borrowed(""),
        namespace: Some("default".to_owned()),
        name: None,
        object: Some(Node::from(object)),
        old_object: None,
        options: None,
        dry_run: true,
        user_info: Arc::new(UserInfo::default()),
        field_validation: FieldValidation::Strict,
        strict_errors: Vec::new(),
        apply: None,
    };
    Prepared::new(request, profile)
}

fn kinds(minor: u32, is_wanted: impl Fn(&resource::ApiResource) -> bool) -> BTreeSet<GroupVersionKind> {
    let resources = resource::of_release(Version::minor(minor)).iter();
    resources.filter(|entry| is_wanted(entry)).map(resource::ApiResource::group_version_kind).collect()
}

#[test]
fn every_release_answers_for_its_kinds_and_refuses_the_others() {
    let releases = Version::OLDEST.minor..=Version::BINARY.minor;
    let all: BTreeSet<GroupVersionKind> = releases.clone().flat_map(|minor| kinds(minor, |_| true)).collect();
    assert_eq!(all.len(), 203);
    for minor in releases {
        let mut evaluator = server(&format!("1.{minor}"));
        let served = kinds(minor, |entry| entry.served == Served::Default);
        for kind in &all {
            let prepared = create(kind, evaluator.profile());
            match evaluator.evaluate(prepared) {
                Ok(outcome) => {
                    assert!(served.contains(kind), "1.{minor} answers for {kind:?}");
                    let status = outcome.status().map(|status| status.code);
                    assert!(
                        status.is_none_or(|code| [405, 422, 404, 400, 409, 500].contains(&code)),
                        "1.{minor} {kind:?}: {status:?}"
                    );
                }
                Err(unevaluated) => {
                    assert!(!served.contains(kind), "1.{minor} does not know {kind:?}");
                    let Unevaluated::UnknownKind(unknown) = unevaluated else {
                        panic!("1.{minor} {kind:?}: {unevaluated}")
                    };
                    assert_eq!(unknown.release, Version::minor(minor));
                    assert!(
                        unknown.help().starts_with("served ") || unknown.help().contains("--runtime-config=")
                    );
                }
            }
        }
    }
}
