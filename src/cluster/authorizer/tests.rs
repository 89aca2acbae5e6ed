use super::*;
use gotext::value::{Value, json};
use kube_api::{GroupResource, GroupVersionKind, Object};

const GROUP: &str = "rbac.authorization.k8s.io";

fn cluster(objects: &[(&'static str, Value)]) -> Arc<Cluster> {
    let cluster = Cluster::new();
    for (kind, value) in objects {
        let resource =
            GroupResource { group: GROUP.into(), resource: format!("{}s", kind.to_lowercase()).into() };
        let object = Object::new(GroupVersionKind::new(GROUP, "v1", *kind), value.clone());
        cluster.put(&resource, Arc::new(object));
    }
    Arc::new(cluster)
}

fn rbac(objects: &[(&'static str, Value)]) -> Authorizer {
    Authorizer::new(cluster(objects), vec![AuthorizationMode::Rbac])
}

fn role(name: &str, rules: &Value) -> (&'static str, Value) {
    ("ClusterRole", json!({"metadata": {"name": name}, "rules": rules}))
}

fn binding(role: &str, subject: &Value) -> (&'static str, Value) {
    let role = json!({"kind": "ClusterRole", "name": role});
    ("ClusterRoleBinding", json!({"metadata": {"name": "all"}, "roleRef": role, "subjects": [subject]}))
}

fn local_binding(kind: &str, role: &str, subject: &Value) -> (&'static str, Value) {
    let role = json!({"kind": kind, "name": role});
    let metadata = json!({"name": "some", "namespace": "shop"});
    ("RoleBinding", json!({"metadata": metadata, "roleRef": role, "subjects": [subject]}))
}

fn bob() -> Value {
    json!({"kind": "User", "name": "bob"})
}

fn resource<'a>(group: &'a str, path: &'a str) -> ResourceAttributes<'a> {
    let (resource, sub_resource) = path.split_once('/').unwrap_or((path, ""));
    ResourceAttributes { namespace: "shop", group, resource, sub_resource, name: "web" }
}

fn decide(authorizer: &Authorizer, user: &str, verb: &str, wanted: ResourceAttributes<'_>) -> Decision {
    let groups = ["developers".to_owned()];
    authorizer.authorize(&Access { user, groups: &groups, verb, subject: Subject::Resource(wanted) })
}

fn allows(authorizer: &Authorizer, user: &str, verb: &str, wanted: ResourceAttributes<'_>) -> bool {
    decide(authorizer, user, verb, wanted).allowed
}

#[test]
fn rules_name_verbs_groups_resources_and_names() {
    let rules = json!([
        {"verbs": ["update"], "apiGroups": ["apps"], "resources": ["deployments", "*/scale"]},
        {"verbs": ["*"], "apiGroups": [""], "resources": ["pods/log"], "resourceNames": ["web"]},
        {"verbs": ["get"], "apiGroups": ["*"], "resources": ["*"]},
    ]);
    let authorizer = rbac(&[role("editor", &rules), binding("editor", &bob())]);
    let may = |verb, group, path| allows(&authorizer, "bob", verb, resource(group, path));
    assert!(may("update", "apps", "deployments"));
    assert!(!may("update", "apps", "deployments/status"));
    assert!(!may("update", "batch", "deployments"));
    assert!(may("update", "apps", "statefulsets/scale"));
    assert!(may("delete", "", "pods/log"));
    assert!(!may("delete", "", "pods"));
    assert!(may("get", "example.com", "widgets/status"));
    let other = ResourceAttributes { name: "db", ..resource("", "pods/log") };
    assert!(!allows(&authorizer, "bob", "delete", other));
    assert!(!allows(&authorizer, "alice", "get", resource("", "pods")));
}

#[test]
fn subjects_are_users_groups_and_service_accounts() {
    let rules = json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]);
    let pods = resource("", "pods");
    let local = |subject| rbac(&[role("reader", &rules), local_binding("ClusterRole", "reader", &subject)]);
    assert!(allows(&local(json!({"kind": "Group", "name": "developers"})), "x", "get", pods));
    let account = local(json!({"kind": "ServiceAccount", "name": "ci"}));
    assert!(allows(&account, "system:serviceaccount:shop:ci", "get", pods));
    assert!(!allows(&account, "system:serviceaccount:other:ci", "get", pods));
    let elsewhere = ResourceAttributes { namespace: "other", ..pods };
    assert!(!allows(&account, "system:serviceaccount:shop:ci", "get", elsewhere));
    let everywhere = ResourceAttributes { namespace: "", ..pods };
    assert!(!allows(&account, "system:serviceaccount:shop:ci", "get", everywhere));
    assert_eq!(
        decide(&account, "system:serviceaccount:shop:ci", "get", pods).reason,
        "RBAC: allowed by RoleBinding \"some/shop\" of ClusterRole \"reader\" to ServiceAccount \"ci/shop\""
    );
}

#[test]
fn says_which_roles_are_missing() {
    let authorizer = rbac(&[binding("gone", &bob()), local_binding("Role", "lost", &bob())]);
    assert_eq!(
        decide(&authorizer, "bob", "get", resource("", "pods")).reason,
        "RBAC: [clusterrole.rbac.authorization.k8s.io \"gone\" not found, role.rbac.authorization.k8s.io \"lost\" not \
         found]"
    );
    assert_eq!(decide(&authorizer, "alice", "get", resource("", "pods")), Decision::default());
}

#[test]
fn roles_are_made_of_others_by_their_labels() {
    let mut part =
        role("widgets", &json!([{"verbs": ["update"], "apiGroups": ["example.com"], "resources": ["*"]}]));
    part.1["metadata"]["labels"] = json!({"rbac.authorization.k8s.io/aggregate-to-edit": "true"});
    let admin = [part, local_binding("ClusterRole", "admin", &bob())];
    let authorizer = rbac(&admin);
    assert!(allows(&authorizer, "bob", "update", resource("example.com", "widgets")));
    assert!(allows(&authorizer, "bob", "create", resource("rbac.authorization.k8s.io", "rolebindings")));
    assert!(allows(&authorizer, "bob", "list", resource("apps", "deployments")));
    assert!(!allows(&authorizer, "bob", "create", resource("", "nodes")));
}

#[test]
fn every_server_has_roles_of_its_own() {
    let authorizer = rbac(&[]);
    let controller = "system:serviceaccount:kube-system:deployment-controller";
    assert!(allows(&authorizer, controller, "create", resource("apps", "replicasets")));
    let groups = ["system:unauthenticated".to_owned()];
    let path = |path| {
        authorizer
            .authorize(&Access { user: "x", groups: &groups, verb: "get", subject: Subject::Path(path) })
            .allowed
    };
    assert!(path("/version/"));
    assert!(!path("/metrics"));
}

#[test]
fn masters_may_do_everything_and_modes_follow_each_other() {
    let groups = ["system:masters".to_owned()];
    let subject = Subject::Resource(resource("", "secrets"));
    let access = Access { user: "x", groups: &groups, verb: "get", subject };
    assert!(rbac(&[]).authorize(&access).allowed);
    let modes = vec![AuthorizationMode::Rbac, AuthorizationMode::AlwaysAllow];
    let authorizer = Authorizer::new(cluster(&[]), modes);
    assert!(allows(&authorizer, "x", "get", resource("", "secrets")));
}

#[test]
fn sees_what_comes_to_exist() {
    let cluster =
        cluster(&[role("reader", &json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]))]);
    let authorizer = Authorizer::new(cluster.clone(), vec![AuthorizationMode::Rbac]);
    assert!(authorizer.note().is_some());
    assert!(!allows(&authorizer, "bob", "get", resource("", "pods")));
    let (kind, value) = binding("reader", &bob());
    let object = Object::new(GroupVersionKind::new(GROUP, "v1", kind), value);
    cluster.put(&GroupResource::new(GROUP, "clusterrolebindings"), Arc::new(object));
    assert!(allows(&authorizer, "bob", "get", resource("", "pods")));
    assert_eq!(authorizer.note(), None);
}

#[test]
fn nodes_may_do_what_their_pods_need() {
    let cluster = Cluster::new();
    let pod = json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "nodeName": "n1", "serviceAccountName": "ci", "containers": [],
            "volumes": [
                {"name": "a", "secret": {"secretName": "s"}},
                {"name": "b", "persistentVolumeClaim": {"claimName": "c"}},
            ],
        },
    });
    let pod = Object::new(GroupVersionKind::new("", "v1", "Pod"), pod);
    cluster.put(&GroupResource::new("", "pods"), Arc::new(pod));
    let authorizer = Authorizer::new(Arc::new(cluster), vec![AuthorizationMode::Node]);
    let groups = ["system:nodes".to_owned()];
    let decide = |user, verb, path, name| {
        let subject = Subject::Resource(ResourceAttributes { name, ..resource("", path) });
        authorizer.authorize(&Access { user, groups: &groups, verb, subject })
    };
    for (verb, path, name) in [
        ("get", "secrets", "s"),
        ("get", "persistentvolumeclaims", "c"),
        ("update", "persistentvolumeclaims/status", "c"),
        ("create", "serviceaccounts/token", "ci"),
        ("get", "pods", "web"),
        ("get", "nodes", "n1"),
        ("list", "services", ""),
    ] {
        assert!(decide("system:node:n1", verb, path, name).allowed, "{verb} {path}");
    }
    assert_eq!(
        decide("system:node:n2", "get", "secrets", "s").reason,
        "no relationship found between node 'n2' and this object"
    );
    assert_eq!(
        decide("system:node:n1", "get", "nodes", "n2").reason,
        "node 'n1' cannot read 'n2', only its own Node object"
    );
    assert!(!decide("system:node:n1", "create", "deployments", "").allowed);
    assert_eq!(decide("bob", "get", "secrets", "s"), Decision::default());
}
