//! kube-rs as its users use it: typed and dynamic objects, apply, watcher, reflector, a controller, and leases.

mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
    PostParams,
};
use kube::runtime::controller::Action;
use kube::runtime::finalizer::{Event as Finalizing, finalizer};
use kube::runtime::watcher::{self, Event};
use kube::runtime::{Controller, WatchStreamExt, reflector, watcher::watcher};
use kube::{Error, ResourceExt};
use serde_json::{Value, from_value, json};

use server::Server;

/// The time after which a test fails that waits.
const PATIENCE: Duration = Duration::from_secs(20);

fn config_map(name: &str, value: &str) -> ConfigMap {
    from_value(json!({"metadata": {"name": name}, "data": {"x": value}})).expect("a ConfigMap")
}

fn code(error: &Error) -> u16 {
    match error {
        Error::Api(status) => status.code,
        error => panic!("not an answer of the server: {error}"),
    }
}

/// Waits until `is_so`.
async fn until<F: Future<Output = bool>>(is_so: impl Fn() -> F) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "waited in vain");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn typed_objects_are_written_and_read() {
    let (_server, client) = Server::start(&[]).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let created = maps.create(&PostParams::default(), &config_map("a", "1")).await.expect("created");
    assert!(created.uid().is_some() && created.resource_version().is_some());
    let mut changed = created.clone();
    changed.data = config_map("a", "2").data;
    let replaced = maps.replace("a", &PostParams::default(), &changed).await.expect("replaced");
    assert_ne!(replaced.resource_version(), created.resource_version());
    // Another writer read the first version.
    let conflict = maps.replace("a", &PostParams::default(), &changed).await.expect_err("a conflict");
    assert_eq!(code(&conflict), 409);
    let merge = Patch::Merge(json!({"data": {"y": "3"}}));
    let patched = maps.patch("a", &PatchParams::default(), &merge).await.expect("patched");
    assert_eq!(patched.data.map(|data| data.len()), Some(2));
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    maps.create(&dry, &config_map("b", "1")).await.expect("a dry run");
    assert_eq!(code(&maps.get("b").await.expect_err("none")), 404);
    assert_eq!(maps.get_opt("b").await.expect("an answer"), None);
    for number in 0..5 {
        let created = maps.create(&PostParams::default(), &config_map(&format!("m{number}"), "1")).await;
        created.expect("created");
    }
    let page = maps.list(&ListParams::default().limit(2)).await.expect("a page");
    assert_eq!(page.items.len(), 2);
    let next = ListParams::default().limit(100).continue_token(&page.metadata.continue_.expect("a token"));
    assert_eq!(maps.list(&next).await.expect("the rest").items.len(), 5);
    let names =
        maps.list_metadata(&ListParams::default().fields("metadata.name=m1")).await.expect("metadata");
    assert_eq!(names.items.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["m1"]);
    maps.delete("a", &DeleteParams::default()).await.expect("deleted");
    assert_eq!(code(&maps.get("a").await.expect_err("none")), 404);
}

#[tokio::test]
async fn objects_of_any_kind_are_found_by_discovery() {
    let (_server, client) = Server::start(&[]).await;
    let definitions = ApiResource::from_gvk(&GroupVersionKind::gvk(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
    ));
    let definition: DynamicObject = from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "shops", "singular": "shop", "kind": "Shop"},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}},
                        "status": {"type": "object", "properties": {"open": {"type": "boolean"}}},
                    },
                }},
            }],
        },
    }))
    .expect("a definition");
    let all: Api<DynamicObject> = Api::all_with(client.clone(), &definitions);
    all.create(&PostParams::default(), &definition).await.expect("created");
    let kind = GroupVersionKind::gvk("example.com", "v1", "Shop");
    let (resource, capabilities) = kube::discovery::pinned_kind(&client, &kind).await.expect("discovered");
    assert!(capabilities.supports_operation("patch"));
    let shops: Api<DynamicObject> = Api::default_namespaced_with(client, &resource);
    let shop = |size: i64| DynamicObject::new("a", &resource).data(json!({"spec": {"size": size}}));
    assert_eq!(code(&shops.create(&PostParams::default(), &shop(0)).await.expect_err("invalid")), 422);
    shops.create(&PostParams::default(), &shop(1)).await.expect("created");
    let status = Patch::Merge(json!({"status": {"open": true}, "spec": {"size": 9}}));
    let patched = shops.patch_status("a", &PatchParams::default(), &status).await.expect("patched");
    assert_eq!((&patched.data["status"]["open"], &patched.data["spec"]["size"]), (&json!(true), &json!(1)));
}

#[tokio::test]
async fn managers_apply_their_fields() {
    let (_server, client) = Server::start(&[]).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let manifest = |value: &str| {
        Patch::Apply(json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": value},
        }))
    };
    maps.patch("a", &PatchParams::apply("one"), &manifest("1")).await.expect("applied");
    let conflict = maps.patch("a", &PatchParams::apply("two"), &manifest("2")).await.expect_err("a conflict");
    assert_eq!(code(&conflict), 409);
    let forced = maps.patch("a", &PatchParams::apply("two").force(), &manifest("2")).await.expect("forced");
    let managers: Vec<_> = forced.managed_fields().iter().filter_map(|entry| entry.manager.clone()).collect();
    assert_eq!(managers, ["two"]);
}

#[tokio::test]
async fn watchers_and_reflectors_follow() {
    let (_server, client) = Server::start(&[]).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    maps.create(&PostParams::default(), &config_map("a", "1")).await.expect("created");
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let config = config.fields("metadata.name!=kube-root-ca.crt");
        let mut events = watcher(maps.clone(), config.clone()).boxed();
        let mut seen = Vec::new();
        while !matches!(seen.last(), Some(Event::InitDone)) {
            seen.push(events.try_next().await.expect("a watch").expect("an event"));
        }
        assert_eq!(seen.iter().filter(|event| matches!(event, Event::InitApply(_))).count(), 1);
        maps.create(&PostParams::default(), &config_map("b", "1")).await.expect("created");
        let next = events.try_next().await.expect("a watch");
        assert!(matches!(next, Some(Event::Apply(map)) if map.name_any() == "b"));
        maps.delete("b", &DeleteParams::default()).await.expect("deleted");
        let next = events.try_next().await.expect("a watch");
        assert!(matches!(next, Some(Event::Delete(map)) if map.name_any() == "b"));
    }
    let (reader, writer) = reflector::store();
    let stream = reflector(writer, watcher(maps.clone(), watcher::Config::default()));
    let task = tokio::spawn(stream.touched_objects().for_each(|_| async {}));
    reader.wait_until_ready().await.expect("a store");
    maps.create(&PostParams::default(), &config_map("c", "1")).await.expect("created");
    until(|| async { reader.state().iter().any(|map| map.name_any() == "c") }).await;
    task.abort();
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failed(String);

/// A controller that makes a copy of every `ConfigMap` with a label, and removes it by its finalizer.
struct Copier {
    maps: Api<ConfigMap>,
    cleaned: AtomicUsize,
}

const FINALIZER: &str = "example.com/copier";

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Copier>) -> Result<Action, Failed> {
    let maps = &context.maps;
    let copy = format!("{}-copy", map.name_any());
    let result = finalizer(maps, FINALIZER, map, |event| async {
        match event {
            Finalizing::Apply(map) => {
                let manifest = json!({
                    "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": copy}, "data": map.data,
                });
                maps.patch(&copy, &PatchParams::apply("copier").force(), &Patch::Apply(manifest)).await?;
            }
            Finalizing::Cleanup(_) => {
                maps.delete(&copy, &DeleteParams::default()).await?;
                context.cleaned.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok::<_, Error>(Action::await_change())
    });
    result.await.map_err(|error| Failed(error.to_string()))
}

#[tokio::test]
async fn a_controller_with_a_finalizer_works() {
    let (_server, client) = Server::start(&[]).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    let context = Arc::new(Copier { maps: maps.clone(), cleaned: AtomicUsize::new(0) });
    let config = watcher::Config::default().labels("copied=yes");
    let policy = |_: Arc<ConfigMap>, _: &Failed, _: Arc<Copier>| Action::requeue(Duration::from_millis(50));
    let controller = Controller::new(maps.clone(), config).run(reconcile, policy, context.clone());
    let task = tokio::spawn(controller.for_each(|_| async {}));

    let mut map = config_map("a", "1");
    map.labels_mut().insert("copied".to_owned(), "yes".to_owned());
    maps.create(&PostParams::default(), &map).await.expect("created");
    until(|| async { maps.get_opt("a-copy").await.expect("an answer").is_some() }).await;
    let merge = Patch::Merge(json!({"data": {"x": "2"}}));
    maps.patch("a", &PatchParams::default(), &merge).await.expect("patched");
    until(|| async { maps.get("a-copy").await.expect("a copy").data.is_some_and(|data| data["x"] == "2") })
        .await;
    maps.delete("a", &DeleteParams::default()).await.expect("deleted");
    until(|| async { maps.get_opt("a").await.expect("an answer").is_none() }).await;
    assert_eq!(context.cleaned.load(Ordering::Relaxed), 1);
    assert_eq!(maps.get_opt("a-copy").await.expect("an answer"), None);
    task.abort();
}

/// Tries to become the leader, as clients with a lease do: whoever writes the version that it read wins.
async fn try_to_lead(leases: &Api<Lease>, own: &str) -> bool {
    let spec = |transitions| LeaseSpec {
        holder_identity: Some(own.to_owned()),
        lease_duration_seconds: Some(15),
        renew_time: Some(MicroTime(Timestamp::now())),
        lease_transitions: Some(transitions),
        ..LeaseSpec::default()
    };
    let Some(mut lease) = leases.get_opt("leader").await.expect("an answer") else {
        let mut lease = Lease { spec: Some(spec(0)), ..Lease::default() };
        lease.metadata.name = Some("leader".to_owned());
        return leases.create(&PostParams::default(), &lease).await.is_ok();
    };
    let former = lease.spec.take().unwrap_or_default();
    if former.holder_identity.as_deref().is_some_and(|holder| !holder.is_empty() && holder != own) {
        return false;
    }
    lease.spec = Some(spec(former.lease_transitions.unwrap_or(0) + 1));
    leases.replace("leader", &PostParams::default(), &lease).await.is_ok()
}

#[tokio::test]
async fn one_of_many_becomes_the_leader() {
    let (_server, client) = Server::start(&[]).await;
    let leases: Api<Lease> = Api::default_namespaced(client);
    let contest = || async {
        let names: Vec<String> = (0..20).map(|number| format!("candidate-{number}")).collect();
        let tries = names.iter().map(|name| try_to_lead(&leases, name));
        futures::future::join_all(tries).await.into_iter().filter(|leads| *leads).count()
    };
    assert_eq!(contest().await, 1);
    // The leader steps down, and all try again.
    let free = Patch::Merge(json!({"spec": {"holderIdentity": ""}}));
    leases.patch("leader", &PatchParams::default(), &free).await.expect("patched");
    assert_eq!(contest().await, 1);
    let lease = leases.get("leader").await.expect("a lease");
    assert_eq!(lease.spec.and_then(|spec| spec.lease_transitions), Some(1));
}

#[tokio::test]
async fn a_rollout_ends_if_pods_are_to_be_ready() {
    let (_server, client) = Server::start(&["--pods", "ready"]).await;
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let deployment: Value = json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "a", "image": "nginx"}]},
            },
        },
    });
    let deployment: Deployment = from_value(deployment).expect("a Deployment");
    deployments.create(&PostParams::default(), &deployment).await.expect("created");
    let completed = kube::runtime::conditions::is_deployment_completed();
    let waited = kube::runtime::wait::await_condition(deployments, "web", completed);
    tokio::time::timeout(PATIENCE, waited).await.expect("in time").expect("a Deployment");
    let pods: Api<Pod> = Api::default_namespaced(client);
    assert_eq!(pods.list(&ListParams::default().labels("app=web")).await.expect("a list").items.len(), 3);
}
