use crate::older_releases::rules::tests::errors;
use gotext::value::json;
use kube_api::Value;

/// An Ingress with two rules, the second of which has a path and backend with faults.
fn faulty_ingress() -> Value {
    json!({
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {
            "backend": {"servicePort": 80},
            "rules": [
                {"host": "*.example.com", "http": {"paths": []}},
                {"host": "a b", "http": {"paths": [
                    {"path": "/", "backend": {"serviceName": "web", "servicePort": 80}},
                    {"path": "x(", "backend": {"serviceName": "1web", "servicePort": "80"}},
                ]}},
            ],
            "tls": [{}, {"hosts": ["example.com", "a b"], "secretName": "a b"}],
        },
    })
}

fn fields_of_ingress(api_version: &str, minor: u32) -> Vec<String> {
    let errors = errors(api_version, "Ingress", minor, &faulty_ingress(), None);
    errors.iter().filter_map(|error| Some(error.split_once(": ")?.0.to_owned())).collect()
}

#[test]
fn errors_in_an_ingress_were_reported_in_its_first_rule() {
    for (minor, api_version) in [(10, "extensions/v1beta1"), (16, "networking.k8s.io/v1beta1")] {
        assert_eq!(
            fields_of_ingress(api_version, minor),
            [
                "spec.backend.serviceName",
                "spec.rules[1].host",
                "spec.rules[0].http.paths[1].path",
                "spec.rules[0].http.paths[1].path",
                "spec.rules[0].http.backend.serviceName",
                "spec.rules[0].http.backend.servicePort",
                "spec.tls[1].hosts",
            ]
        );
    }
    let backends = [
        "spec.rules[0].http.paths[1].backend.serviceName",
        "spec.rules[0].http.paths[1].backend.servicePort",
    ];
    assert_eq!(fields_of_ingress("networking.k8s.io/v1beta1", 18)[4..6], backends);
    assert_eq!(
        fields_of_ingress("networking.k8s.io/v1beta1", 19),
        [
            "spec.backend.serviceName",
            "spec.rules[1].host",
            "spec.rules[1].http.paths[1].path",
            "spec.rules[1].http.paths[1].backend.serviceName",
            "spec.rules[1].http.paths[1].backend.servicePort",
            "spec.tls[1].hosts[1]",
        ]
    );
}

#[test]
fn a_backend_of_an_ingress_needed_a_port() {
    let ingress = |backend: Value| {
        let metadata = json!({"name": "web", "namespace": "shop"});
        json!({"metadata": metadata, "spec": {"backend": backend}})
    };
    let create =
        |minor, backend| errors("networking.k8s.io/v1beta1", "Ingress", minor, &ingress(backend), None);
    assert_eq!(
        create(16, json!({"serviceName": "web"})),
        ["spec.backend.servicePort: Invalid value: 0: must be between 1 and 65535, inclusive"]
    );
    assert_eq!(
        create(19, json!({"serviceName": "web"})),
        ["spec.backend: Required value: port name or number is required"]
    );
    assert_eq!(create(16, json!({})), ["spec.backend.serviceName: Required value"]);
    assert_eq!(
        create(19, json!({})),
        ["spec.backend: Invalid value: \"\": resource or service backend is required"]
    );
    let resource = json!({"kind": "Bucket", "name": "web"});
    assert_eq!(create(18, json!({"resource": resource})), [""; 0]);
    assert_eq!(
        create(18, json!({"resource": resource, "servicePort": 80})),
        ["spec.backend: Invalid value: \"\": cannot set both resource and service backends"]
    );
}

#[test]
fn paths_of_an_ingress_could_stay_no_expressions_in_1_18() {
    let ingress = |path: &str| {
        let backend = json!({"serviceName": "web", "servicePort": 80});
        let path = json!({"path": path, "pathType": "ImplementationSpecific", "backend": backend});
        json!({
            "metadata": {"name": "web", "namespace": "shop", "resourceVersion": "1"},
            "spec": {"rules": [{"http": {"paths": [path]}}]},
        })
    };
    let update = |minor, before: &str| {
        let old = ingress(before);
        errors("networking.k8s.io/v1beta1", "Ingress", minor, &ingress("/a("), Some(&old))
    };
    let refused = ["spec.rules[0].http.paths[0].path: Invalid value: \"/a(\": must be a valid regex"];
    assert_eq!(update(17, "/b("), refused);
    assert_eq!(update(18, "/b"), refused);
    assert_eq!(update(18, "/b("), [""; 0]);
    assert_eq!(update(19, "/b"), [""; 0]);
}

#[test]
fn peers_of_network_policies_were_refused_in_other_words() {
    let policy = |rule: Value| {
        json!({
            "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"podSelector": {}, "ingress": [{"from": [rule]}], "policyTypes": ["Ingress"]},
        })
    };
    let create = |minor, rule| errors("networking.k8s.io/v1", "NetworkPolicy", minor, &policy(rule), None);
    let first = "spec.ingress[0].from[0]";
    assert_eq!(create(10, json!({})), [format!("{first}: Required value: must specify a from type")]);
    assert_eq!(create(11, json!({})), [format!("{first}: Required value: must specify a peer")]);
    let both = || json!({"podSelector": {}, "ipBlock": {"cidr": "10.0.0.0/8"}});
    assert_eq!(create(10, both()), [format!("{first}: Forbidden: may not specify more than 1 from type")]);
    assert_eq!(
        create(11, both()),
        [format!("{first}: Forbidden: may not specify both ipBlock and another peer")]
    );
    let block = |cidr: &str, except: &str| json!({"ipBlock": {"cidr": cidr, "except": [except]}});
    let except = format!("{first}.ipBlock.except[0]: Invalid value");
    assert_eq!(
        create(17, block("10.0.0.0/8", "11.0.0.0/16")),
        [format!("{except}: 11.0.0.0: not within CIDR range")]
    );
    assert_eq!(create(17, block("10.0.0.0/8", "10.0.0.0/8")), [""; 0]);
    assert_eq!(
        create(18, block("10.0.0.0/8", "10.0.0.0/8")),
        [format!("{except}: \"10.0.0.0/8\": must be a strict subset of `cidr`")]
    );
    assert_eq!(
        create(29, block("10.0.0.0", "10.0.0.0/16")),
        [format!("{first}.ipBlock.cidr: Invalid value: \"10.0.0.0\": not a valid CIDR")]
    );
}
