//! Controllers that look at several objects at once: aggregated roles, budgets, Endpoints and volumes.

use gotext::value::{Value, json};
use kadmit::Pods;

use super::{DEPLOYMENTS, PODS, deployment, start, start_with};

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

#[test]
fn aggregated_roles_have_the_rules_of_others() {
    let (_server, client) = start(&["--authorization-mode=RBAC"]);
    let view = client.get(&format!("{ROLES}/view")).object(200);
    let part = client.get(&format!("{ROLES}/system:aggregate-to-view")).object(200);
    assert_eq!(view["rules"], part["rules"]);
    let rule = |verb: &str| json!({"apiGroups": ["a.b"], "resources": ["c"], "verbs": [verb]});
    let whole = json!({
        "metadata": {"name": "whole"},
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"part": "1"}}]},
    });
    client.post(ROLES, &whole).object(201);
    let rules = || client.get(&format!("{ROLES}/whole")).object(200)["rules"].clone();
    let role = |name: &str, verb: &str| json!({"metadata": {"name": name, "labels": {"part": "1"}}, "rules": [rule(verb)]});
    client.post(ROLES, &role("b", "get")).object(201);
    client.post(ROLES, &role("a", "list")).object(201);
    client.post(ROLES, &role("c", "get")).object(201);
    assert_eq!(rules(), json!([rule("list"), rule("get")]));
    client.delete(&format!("{ROLES}/a")).object(200);
    assert_eq!(rules(), json!([rule("get")]));
}

#[test]
fn budgets_count_healthy_pods() {
    const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let (_server, client) = start_with(&[], Pods::Ready);
    client.post(DEPLOYMENTS, &deployment(3)).object(201);
    let budget = |name: &str, limit: &str, amount: Value| {
        let mut spec = json!({"selector": {"matchLabels": {"app": "web"}}});
        spec[limit] = amount;
        client.post(BUDGETS, &json!({"metadata": {"name": name}, "spec": spec})).object(201);
    };
    let numbers = |name: &str| {
        let status = client.get(&format!("{BUDGETS}/{name}")).object(200)["status"].clone();
        ["expectedPods", "currentHealthy", "desiredHealthy", "disruptionsAllowed"]
            .map(|field| status.int(field))
    };
    budget("number", "minAvailable", json!(2));
    assert_eq!(numbers("number"), [3, 3, 2, 1]);
    let pods = client.get(PODS).object(200);
    let evict = |number: usize| {
        let name = pods["items"][number].text(["metadata", "name"]).to_owned();
        client.post(&format!("{PODS}/{name}/eviction"), &json!({"metadata": {"name": name}}))
    };
    evict(0).object(201);
    // The replica set has replaced it.
    assert_eq!(numbers("number"), [3, 3, 2, 1]);
    client.patch(&format!("{DEPLOYMENTS}/web"), "merge-patch+json", &json!({"spec": {"replicas": 2}}));
    assert_eq!(numbers("number"), [2, 2, 2, 0]);
    let left = client.get(PODS).object(200)["items"][0].text(["metadata", "name"]).to_owned();
    let refused = client.post(&format!("{PODS}/{left}/eviction"), &json!({"metadata": {"name": left}}));
    assert_eq!(refused.refusal().0, 429);
    client.delete(&format!("{BUDGETS}/number")).object(200);
    budget("percent", "maxUnavailable", json!("30%"));
    assert_eq!(numbers("percent"), [2, 2, 1, 1]);
    client.patch(&format!("{DEPLOYMENTS}/web"), "merge-patch+json", &json!({"spec": {"replicas": 10}}));
    assert_eq!(numbers("percent"), [10, 10, 7, 3]);
}

#[test]
fn services_have_the_addresses_of_ready_pods() {
    const SERVICES: &str = "/api/v1/namespaces/default/services";
    const ENDPOINTS: &str = "/api/v1/namespaces/default/endpoints/web";
    const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=web";
    for (pods, count) in [(Pods::Ready, 2), (Pods::Pending, 0)] {
        let (_server, client) = start_with(&[], pods);
        let service = json!({
            "metadata": {"name": "web", "labels": {"a": "b"}},
            "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]},
        });
        let service = client.post(SERVICES, &service).object(201);
        client.post(DEPLOYMENTS, &deployment(2)).object(201);
        let addresses: Vec<Value> = {
            let pods = client.get(PODS).object(200);
            let mut addresses: Vec<_> =
                pods.list("items").iter().map(|pod| pod.text(["status", "podIP"]).to_owned()).collect();
            addresses.sort();
            addresses.into_iter().filter(|address| !address.is_empty()).map(Value::from).collect()
        };
        assert_eq!(addresses.len(), count);
        let endpoints = client.get(ENDPOINTS).object(200);
        let subsets = endpoints.list("subsets");
        let found: Vec<Value> = subsets
            .iter()
            .flat_map(|subset| subset.list("addresses"))
            .map(|found| found["ip"].clone())
            .collect();
        assert_eq!(found, addresses);
        let slices = client.get(SLICES).object(200);
        assert_eq!(slices.list("items").len(), 1);
        let slice = &slices["items"][0];
        assert_eq!(slice["metadata"]["ownerReferences"][0]["uid"], service["metadata"]["uid"]);
        assert_eq!(slice["metadata"]["labels"]["a"], "b");
        let found: Vec<Value> =
            slice.list("endpoints").iter().map(|found| found["addresses"][0].clone()).collect();
        assert_eq!(found, addresses);
        if count > 0 {
            assert_eq!(subsets[0]["ports"], json!([{"port": 8080, "protocol": "TCP"}]));
            assert_eq!(slice["ports"], json!([{"name": "", "port": 8080, "protocol": "TCP"}]));
        }
        client.delete(&format!("{DEPLOYMENTS}/web")).object(200);
        assert!(client.get(ENDPOINTS).object(200).list("subsets").is_empty());
        client.delete(&format!("{SERVICES}/web")).object(200);
        assert_eq!(client.get(ENDPOINTS).refusal().0, 404);
        assert!(client.get(SLICES).object(200).list("items").is_empty());
    }
}

#[test]
fn claims_get_the_smallest_volume_that_fits() {
    const VOLUMES: &str = "/api/v1/persistentvolumes";
    const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
    let (_server, client) = start(&[]);
    let volume = |name: &str, size: &str| {
        let volume = json!({
            "metadata": {"name": name},
            "spec": {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}},
        });
        client.post(VOLUMES, &volume).object(201)
    };
    volume("large", "5Gi");
    volume("small", "500Mi");
    volume("medium", "2Gi");
    let phase = |path: &str| client.get(path).object(200).text(["status", "phase"]).to_owned();
    assert_eq!(phase(&format!("{VOLUMES}/small")), "Available");
    let claim = |name: &str, size: &str, mode: &str| {
        let claim = json!({
            "metadata": {"name": name},
            "spec": {"accessModes": [mode], "resources": {"requests": {"storage": size}}},
        });
        client.post(CLAIMS, &claim).object(201)
    };
    let own = claim("own", "1Gi", "ReadWriteOnce");
    claim("shared", "1Gi", "ReadWriteMany");
    claim("huge", "1Ti", "ReadWriteOnce");
    let bound = client.get(&format!("{CLAIMS}/own")).object(200);
    assert_eq!(bound["spec"]["volumeName"], "medium");
    assert_eq!(
        bound["status"],
        json!({
            "phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "2Gi"},
        })
    );
    let taken = client.get(&format!("{VOLUMES}/medium")).object(200);
    assert_eq!(
        (&taken["status"]["phase"], &taken["spec"]["claimRef"]["uid"]),
        (&json!("Bound"), &own["metadata"]["uid"])
    );
    assert_eq!(phase(&format!("{CLAIMS}/shared")), "Pending");
    assert_eq!(phase(&format!("{CLAIMS}/huge")), "Pending");
    volume("last", "2Ti");
    assert_eq!(phase(&format!("{CLAIMS}/huge")), "Bound");
    client.delete(&format!("{CLAIMS}/own")).object(200);
    assert_eq!(phase(&format!("{VOLUMES}/medium")), "Released");
}
