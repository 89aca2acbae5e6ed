use super::state::{MAX_LOOKED_UP, UNPACKED};
use super::*;
use gotext::value::json;
use kube_api::GroupVersionKind;
use kube_api::resources::SERVICE_ACCOUNTS;

#[test]
fn starts_with_what_every_api_server_makes() {
    let cluster = Cluster::new();
    assert_eq!(cluster.list_all(&NAMESPACES).len(), 4);
    assert!(cluster.namespace("default").is_some());
    assert!(cluster.get(&GroupResource::new("", "services"), "default", "kubernetes").is_some());
}

#[test]
fn what_plugins_look_up_stays_the_same_tree() {
    let cluster = Cluster::of(Distribution::Kubernetes, |resource| *resource == NAMESPACES);
    let first = cluster.namespace("default");
    let config_maps = GroupResource::new("", "configmaps");
    let put = |name: &str| {
        let value = json!({"metadata": {"name": name, "namespace": "default"}});
        let kind = GroupVersionKind::new("", "v1", "ConfigMap");
        cluster.put(&config_maps, Arc::new(Object::new(kind, value)));
    };
    put("written-twice");
    for number in 0..=RECENT + UNPACKED {
        put(&format!("c{number}"));
        if number == RECENT {
            put("written-twice");
        }
    }
    let is_tree = |resource: &GroupResource, namespace: &str, name: &str| {
        let get = || cluster.get(resource, namespace, name).expect("it was put");
        // The object that was read last is kept, so another one is read between.
        let (read, _) = (get(), cluster.get(&config_maps, "default", "c1"));
        Arc::ptr_eq(&read, &get())
    };
    assert!(first.is_some() && is_tree(&NAMESPACES, "", "default"));
    assert!(!is_tree(&config_maps, "default", "c0"), "it is packed");
    assert!(is_tree(&config_maps, "default", "written-twice"), "its latest writing waits");
    assert!(is_tree(&config_maps, "default", &format!("c{}", Block::SIZE)), "it waits");
    cluster.pack();
    assert!(!is_tree(&config_maps, "default", &format!("c{}", UNPACKED - Block::SIZE)), "it is packed");
    assert!(is_tree(&config_maps, "default", &format!("c{}", UNPACKED + 1)), "it is recent");
}

#[test]
fn finds_what_may_select_an_object() {
    let cluster = Cluster::new();
    let sets = GroupResource::new("apps", "statefulsets");
    let put = |name: &str, selector: Value| {
        let value = json!({"metadata": {"name": name, "namespace": "shop"}, "spec": {"selector": selector}});
        cluster.put(&sets, Arc::new(Object::new(GroupVersionKind::new("apps", "v1", "StatefulSet"), value)));
    };
    let found = |labels: Value| -> Vec<String> {
        let found = cluster.list_selecting(&sets, "shop", Some(&labels));
        found.iter().map(|object| object.name().to_owned()).collect()
    };
    put("c", json!({"matchLabels": {"app": "web", "tier": "front"}}));
    put("b", json!({"matchExpressions": [{"key": "app", "operator": "Exists"}]}));
    put("a", json!({"matchLabels": {"app": "web"}}));
    put("d", json!({}));
    assert_eq!(found(json!({"app": "web"})), ["a", "b", "c"]);
    assert_eq!(found(json!({"app": "db"})), ["b"]);
    put("a", json!({"matchLabels": {"app": "db"}}));
    assert_eq!(found(json!({"app": "web"})), ["b", "c"]);
    cluster.remove(&sets, "shop", "b");
    assert_eq!(found(json!({"app": "db"})), ["a"]);
}

#[test]
fn what_is_undone_leaves_no_number() {
    let cluster = Cluster::new();
    let config_maps = GroupResource::new("", "configmaps");
    let put = |name: &str| {
        let value = json!({"metadata": {"name": name, "namespace": "default"}});
        cluster.put(&config_maps, Arc::new(Object::new(GroupVersionKind::new("", "v1", "ConfigMap"), value)));
        cluster.number(&config_maps, "default", name)
    };
    let first = put("a");
    cluster.record();
    let numbers = [put("b"), put("c"), put("a")];
    cluster.undo();
    assert_eq!(cluster.known_number(&config_maps, "default", "c"), None);
    assert_eq!(cluster.list(&config_maps, "default").len(), 1);
    assert_eq!([put("c"), put("b"), put("a")], [numbers[0], numbers[1], first]);
    cluster.remove(&config_maps, "default", "c");
    assert_eq!(put("c"), numbers[0], "a name keeps its number");
}

#[test]
fn computes_once_per_state() {
    static RESOURCES: &[GroupResource] = &[NAMESPACES];
    let cluster = Cluster::new();
    let count = Derived::of(RESOURCES);
    assert_eq!(*count.get(&cluster, || 1), 1);
    assert_eq!(*count.get(&cluster, || 2), 1);
    cluster.remove(&NAMESPACES, "", "kube-public");
    assert_eq!(*count.get(&cluster, || 3), 3);
}

#[test]
fn finds_what_was_indexed_long_ago() {
    let cluster = Cluster::new();
    let kind = || GroupVersionKind::new("", "v1", "Pod");
    let pods = GroupResource::new("", "pods");
    let namespaces = ["a", "b", "c"];
    let place =
        |number: usize| (namespaces[number % 3], format!("p{number:05}"), format!("set-{}", number % 100));
    let put = |number: usize| {
        let (namespace, name, owner) = place(number);
        let references = json!([{"kind": "ReplicaSet", "name": owner, "controller": true}]);
        let value =
            json!({"metadata": {"name": name, "namespace": namespace, "ownerReferences": references}});
        cluster.put(&pods, Arc::new(Object::new(kind(), value)));
    };
    let count = 3 * collection::MAX_INDEXED;
    (0..count).for_each(put);
    (0..count).filter(|number| number.is_multiple_of(5)).for_each(|number| {
        let (namespace, name, _) = place(number);
        cluster.remove(&pods, namespace, &name);
    });
    (0..count).filter(|number| number.is_multiple_of(25)).for_each(put);
    cluster.set_count(&pods, "b", "p00001", 7);
    let exists = |number: &usize| !number.is_multiple_of(5) || number.is_multiple_of(25);
    for number in 0..count {
        let (namespace, name, _) = place(number);
        assert_eq!(cluster.contains(&pods, namespace, &name), exists(&number), "{number}");
        assert_eq!(cluster.number(&pods, namespace, &name).index(), number);
    }
    let names = |is_one: &dyn Fn(usize) -> bool| -> Vec<String> {
        let numbers = (0..count).filter(exists).filter(|number| is_one(*number));
        numbers.map(|number| place(number).1).collect()
    };
    let found: Vec<String> = cluster
        .list_controlled(&pods, "b", "ReplicaSet", "set-7")
        .iter()
        .map(|(pod, _)| pod.name().to_owned())
        .collect();
    assert_eq!(found, names(&|number| number % 3 == 1 && number % 100 == 7));
    let listed: Vec<String> = cluster.list(&pods, "c").iter().map(|pod| pod.name().to_owned()).collect();
    assert_eq!(listed, names(&|number| number % 3 == 2));
    assert_eq!((cluster.count(&pods, "b", "p00001"), cluster.count(&pods, "b", "p00004")), (7, 1));
}

#[test]
fn of_many_that_are_looked_up_the_last_ones_stay_trees() {
    let cluster = Cluster::of(Distribution::Kubernetes, |resource| *resource == SERVICE_ACCOUNTS);
    let put = |number: usize| {
        let value = json!({"metadata": {"name": format!("a{number}"), "namespace": "default"}});
        let kind = GroupVersionKind::new("", "v1", "ServiceAccount");
        cluster.put(&SERVICE_ACCOUNTS, Arc::new(Object::new(kind, value)));
    };
    let count = MAX_LOOKED_UP + 2 * Block::SIZE;
    (0..count).for_each(put);
    let is_packed = |number: usize| {
        let found =
            |state: &State| state.collections[&SERVICE_ACCOUNTS].get("default", &format!("a{number}"));
        cluster.read(found).expect("it was put").tree().is_none()
    };
    assert!(is_packed(0) && !is_packed(count - 1));
    let read = || cluster.get(&SERVICE_ACCOUNTS, "default", "a0").expect("it was put");
    assert_eq!(read().name(), "a0");
    assert!(!is_packed(0) && Arc::ptr_eq(&read(), &read()), "it was looked up");
}
