use super::*;
use crate::tests::object;
use gotext::value::json;

fn service(spec: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "default"}, "spec": spec})
}

/// A server and the existing objects.
struct Setting {
    network: ServiceNetwork,
    services: Vec<Object>,
    profile: ServerProfile,
    dry_run: bool,
}

impl Setting {
    fn new(ranges: &str) -> Self {
        Self {
            network: ServiceNetwork::parse(ranges).unwrap(),
            services: Vec::new(),
            profile: ServerProfile::default(),
            dry_run: false,
        }
    }

    fn with(mut self, spec: &Value) -> Self {
        self.services.push(object(&service(spec)));
        self
    }

    fn begin(&self, spec: &Value, old: Option<&Value>) -> (Value, String, Vec<String>) {
        let allocated = || Allocated::of(self.services.iter(), ["10.96.0.77"].into_iter());
        let allocator = Allocator {
            network: &self.network,
            allocated: &allocated,
            profile: &self.profile,
            dry_run: self.dry_run,
        };
        let (mut service, old) = (object(&service(spec)), old.map(|old| object(&self::service(old))));
        let mut notes = Vec::new();
        let message = match allocator.begin(&mut service, old.as_ref(), &mut notes) {
            Ok(()) => String::new(),
            Err(AllocationError::Invalid(errors, _)) => field::aggregate(&errors),
            Err(AllocationError::Internal(error)) => format!("internal: {error}"),
            Err(AllocationError::Full(error) | AllocationError::Plain(error)) => error,
        };
        let spec = &service.value["spec"];
        (json!({"policy": spec["ipFamilyPolicy"], "families": spec["ipFamilies"]}), message, notes)
    }

    fn families(&self, spec: &Value) -> (String, String) {
        let (made, message, _) = self.begin(spec, None);
        assert_eq!(message, "", "{spec}");
        let families: Vec<_> =
            made["families"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        (made.text("policy").to_owned(), families.join(" "))
    }

    fn message(&self, spec: &Value) -> String {
        self.begin(spec, None).1
    }

    fn update(&self, spec: &Value, old: &Value) -> (String, String) {
        let (made, message, _) = self.begin(spec, Some(old));
        (message, made["families"].to_string())
    }
}

const V4: &str = "10.96.0.0/16";
const BOTH: &str = "10.96.0.0/16,fd00::/112";

#[test]
fn fills_in_the_families_of_the_cluster() {
    let cases = [
        (V4, json!({}), "SingleStack", "IPv4"),
        ("fd00::/112", json!({}), "SingleStack", "IPv6"),
        (BOTH, json!({}), "SingleStack", "IPv4"),
        ("fd00::/112,10.96.0.0/16", json!({}), "SingleStack", "IPv6"),
        (V4, json!({"ipFamilyPolicy": "PreferDualStack"}), "PreferDualStack", "IPv4"),
        (BOTH, json!({"ipFamilyPolicy": "PreferDualStack"}), "PreferDualStack", "IPv4 IPv6"),
        (
            BOTH,
            json!({"ipFamilyPolicy": "RequireDualStack", "ipFamilies": ["IPv6"]}),
            "RequireDualStack",
            "IPv6 IPv4",
        ),
        (BOTH, json!({"clusterIP": "fd00::5"}), "SingleStack", "IPv6"),
        (V4, json!({"clusterIP": "None"}), "RequireDualStack", "IPv4 IPv6"),
        (V4, json!({"clusterIP": "None", "selector": {"a": "b"}}), "SingleStack", "IPv4"),
        (V4, json!({"clusterIP": "None", "ipFamilyPolicy": "SingleStack"}), "SingleStack", "IPv4"),
        (V4, json!({"type": "ExternalName", "externalName": "a.b"}), "", ""),
    ];
    for (ranges, spec, policy, families) in cases {
        assert_eq!(
            Setting::new(ranges).families(&spec),
            (policy.to_owned(), families.to_owned()),
            "{ranges} {spec}"
        );
    }
}

#[test]
fn rejects_families_that_the_cluster_does_not_have() {
    let cases = [
        (
            json!({"ipFamilyPolicy": "RequireDualStack"}),
            "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for dual-stack services",
        ),
        (
            json!({"ipFamilies": ["IPv6"]}),
            "spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster",
        ),
        (
            json!({"clusterIP": "fd00::5"}),
            "spec.clusterIPs[0]: Invalid value: [\"fd00::5\"]: IPv6 is not configured on this cluster",
        ),
        (
            json!({"clusterIP": "None", "selector": {"a": "b"}, "ipFamilies": ["IPv4", "IPv6"]}),
            "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when \
             multiple IP families are specified",
        ),
        (
            json!({"clusterIP": "None", "selector": {"a": "b"}, "ipFamilyPolicy": "RequireDualStack", "ipFamilies": ["IPv4", "IPv6"]}),
            "[spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for dual-stack services, \
             spec.ipFamilies[1]: Invalid value: \"IPv6\": not configured on this cluster]",
        ),
        (
            json!({"clusterIP": "10.96.0.5", "clusterIPs": ["10.96.0.5", "fd00::5"]}),
            "[spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when \
             multiple cluster IPs are specified, spec.clusterIPs[1]: Invalid value: [\"10.96.0.5\",\"fd00::5\"]: IPv6 is not \
             configured on this cluster]",
        ),
        (
            json!({"clusterIP": "x"}),
            "spec.clusterIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        ),
    ];
    for (spec, message) in cases {
        assert_eq!(Setting::new(V4).message(&spec), message, "{spec}");
    }
}

#[test]
fn rejects_addresses_that_are_not_to_give() {
    let setting = Setting::new(V4).with(&json!({"clusterIP": "10.96.0.50", "clusterIPs": ["10.96.0.50"]}));
    let cases = [
        ("10.96.0.51", ""),
        ("10.97.0.1", "the provided network does not match the current range"),
        ("10.96.0.0", "the provided network does not match the current range"),
        ("10.96.255.255", "the provided network does not match the current range"),
        ("10.96.0.50", "provided IP is already allocated"),
        ("10.96.0.77", "provided IP is already allocated"),
        ("10.96.0.1", "provided IP is already allocated"),
    ];
    for (address, reason) in cases {
        let expected = match reason {
            "" => String::new(),
            reason => format!(
                "spec.clusterIPs: Invalid value: [\"{address}\"]: failed to allocate IP {address}: {reason}"
            ),
        };
        assert_eq!(setting.message(&json!({"clusterIP": address})), expected);
    }
    let second = json!({"clusterIP": "10.96.0.51", "ipFamilyPolicy": "RequireDualStack", "ipFamilies": ["IPv4", "IPv6"]});
    assert_eq!(Setting::new(BOTH).message(&second), "");
    let message =
        Setting::new(BOTH).message(&json!({"clusterIP": "10.97.0.51", "ipFamilyPolicy": "PreferDualStack"}));
    assert_eq!(
        message,
        "spec.clusterIPs: Invalid value: [\"10.97.0.51\",\"\"]: failed to allocate IP 10.97.0.51: the provided network does \
         not match the current range"
    );
}

#[test]
fn a_dry_run_looks_less_closely() {
    let mut setting = Setting::new(V4).with(&json!({"clusterIP": "10.96.0.50"}));
    setting.dry_run = true;
    assert_eq!(setting.message(&json!({"clusterIP": "10.96.0.50"})), "");
    assert_eq!(
        setting.message(&json!({"clusterIP": "10.97.0.1"})),
        "spec.clusterIPs: Invalid value: [\"10.97.0.1\"]: failed to allocate IP 10.97.0.1: the provided IP (10.97.0.1) is not \
         in the valid range. The range of valid IPs is 10.96.0.0/16"
    );
    let port = json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]});
    assert_eq!(setting.message(&port), "");
}

#[test]
fn rejects_ports_that_are_not_to_give() {
    let setting = Setting::new(V4).with(&json!({
        "type": "LoadBalancer",
        "externalTrafficPolicy": "Local",
        "healthCheckNodePort": 30100,
        "ports": [{"port": 80, "nodePort": 30080}],
    }));
    let ports = |ports: Value| setting.message(&json!({"type": "NodePort", "ports": ports}));
    let invalid = |index: usize, port: i64, reason: &str| {
        format!("spec.ports[{index}].nodePort: Invalid value: {port}: {reason}")
    };
    let taken = "provided port is already allocated";
    let range = "provided port is not in the valid range. The range of valid ports is 30000-32767";
    assert_eq!(ports(json!([{"port": 80, "nodePort": 30081}])), "");
    assert_eq!(ports(json!([{"port": 80, "nodePort": 80}])), invalid(0, 80, range));
    assert_eq!(ports(json!([{"port": 80}, {"port": 81, "nodePort": 30080}])), invalid(1, 30080, taken));
    assert_eq!(ports(json!([{"port": 80, "nodePort": 30100}])), invalid(0, 30100, taken));
    assert_eq!(
        ports(json!([{"port": 53, "protocol": "UDP"}, {"port": 53, "nodePort": 30053}])),
        "",
        "ports of one number share a port of the nodes"
    );
    assert_eq!(
        ports(json!([{"port": 53, "nodePort": 30053}, {"port": 54, "nodePort": 30053}])),
        invalid(1, 30053, taken)
    );
    let balanced = |port: i64| {
        setting.message(&json!({
            "type": "LoadBalancer",
            "externalTrafficPolicy": "Local",
            "healthCheckNodePort": port,
        }))
    };
    assert_eq!(balanced(30101), "");
    assert_eq!(
        balanced(30100),
        format!("internal: failed to allocate requested HealthCheck NodePort 30100: {taken}")
    );
    let cluster_ip = json!({"ports": [{"port": 80, "nodePort": 80}]});
    assert_eq!(setting.message(&cluster_ip), "", "validation rejects ports of nodes here");
}

#[test]
fn what_a_service_has_it_keeps() {
    let old = json!({
        "type": "NodePort", "clusterIP": "10.96.0.5", "clusterIPs": ["10.96.0.5"],
        "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
        "ports": [{"port": 80, "nodePort": 30080}],
    });
    let setting = Setting::new(V4).with(&old);
    let same = (String::new(), "[\"IPv4\"]".to_owned());
    assert_eq!(setting.update(&old, &old), same);
    let ports = |node_port: i64| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": node_port}]});
    assert_eq!(setting.update(&ports(30081), &old), same);
    assert_eq!(
        setting.update(&ports(81), &old).0,
        "spec.ports[0].nodePort: Invalid value: 81: provided port is not in the valid range. The range of valid ports is \
         30000-32767"
    );
    let twice = json!({
        "type": "NodePort",
        "ports": [{"port": 80, "nodePort": 30080}, {"port": 81, "nodePort": 30080, "name": "b"}],
    });
    assert_eq!(setting.update(&twice, &old).0, "duplicate nodePort: {TCP 30080}");
}

#[test]
fn a_second_family_is_taken_and_released() {
    let single = json!({
        "clusterIP": "10.96.0.5", "clusterIPs": ["10.96.0.5"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
    });
    let both = json!({
        "clusterIP": "10.96.0.5", "clusterIPs": ["10.96.0.5", "fd00::5"],
        "ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack",
    });
    let setting = Setting::new(BOTH).with(&both);
    let upgrade = json!({"ipFamilyPolicy": "RequireDualStack"});
    assert_eq!(setting.update(&upgrade, &single), (String::new(), "[\"IPv4\",\"IPv6\"]".to_owned()));
    assert_eq!(
        setting.update(&both, &single).0,
        "spec.clusterIPs: Invalid value: [\"10.96.0.5\",\"fd00::5\"]: failed to allocate IP fd00::5: provided IP is already \
         allocated"
    );
    let downgrade = json!({"ipFamilyPolicy": "SingleStack"});
    assert_eq!(setting.update(&downgrade, &both), (String::new(), "[\"IPv4\"]".to_owned()));
    let half = json!({
        "clusterIP": "10.96.0.5", "clusterIPs": ["10.96.0.5"],
        "ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack",
    });
    assert_eq!(
        setting.update(&half, &both).0,
        "spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": must be 'SingleStack' to release the secondary cluster IP"
    );
}

#[test]
fn what_is_assumed_is_noted() {
    let unknown = Setting::new("");
    let (_, message, notes) = unknown.begin(&json!({"clusterIP": "10.3.0.10"}), None);
    assert_eq!(
        (message.as_str(), notes.join("\n").as_str()),
        (
            "",
            "assumed that 10.3.0.10 is in the server's range of cluster IPs (--service-cluster-ip-range names it)"
        )
    );
    let (_, message, notes) = unknown.begin(&json!({"ipFamilies": ["IPv6"]}), None);
    assert_eq!(message, "spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster");
    assert_eq!(
        notes,
        [
            "assumed that the server gives Services IPv4 addresses alone (--service-cluster-ip-range names its ranges)"
        ]
    );
}

/// Servers before 1.20 have one range for each Service, and name neither the address nor the list.
#[test]
fn the_words_about_ranges_are_those_of_the_release() {
    let message = |release: u32, range: &str, address: &str| {
        let profile = ServerProfile::of_release(Version::minor(release), []);
        let setting = Setting { profile, ..Setting::new(range) };
        setting.message(&json!({"clusterIP": address, "clusterIPs": [address]}))
    };
    let range = "provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/16";
    assert_eq!(
        message(19, V4, "10.97.0.1"),
        format!("spec.clusterIP: Invalid value: \"10.97.0.1\": {range}")
    );
    assert_eq!(message(16, V4, "fd00::1"), format!("spec.clusterIP: Invalid value: \"fd00::1\": {range}"));
    assert_eq!(
        message(21, V4, "10.97.0.1"),
        format!(
            "spec.clusterIPs: Invalid value: [\"10.97.0.1\"]: failed to allocated ip:10.97.0.1 with error:{range}"
        )
    );
    assert_eq!(
        message(22, V4, "10.97.0.1"),
        format!("spec.clusterIPs: Invalid value: [\"10.97.0.1\"]: failed to allocate IP 10.97.0.1: {range}")
    );
    assert_eq!(
        message(23, V4, "10.97.0.1"),
        "spec.clusterIPs: Invalid value: [\"10.97.0.1\"]: failed to allocate IP 10.97.0.1: the provided IP (10.97.0.1) \
         is not in the valid range. The range of valid IPs is 10.96.0.0/16"
    );
}

#[test]
fn dry_runs_before_1_23_allocate_no_address() {
    let setting = |release: u32| Setting {
        profile: ServerProfile::of_release(Version::minor(release), []),
        dry_run: true,
        ..Setting::new(V4)
    };
    let spec = json!({"clusterIP": "10.97.0.1", "clusterIPs": ["10.97.0.1"]});
    assert_eq!(setting(22).message(&spec), "");
    assert_ne!(setting(23).message(&spec), "");
}
