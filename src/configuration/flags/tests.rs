use super::*;
use crate::cluster::authorizer::AuthorizationMode;
use kube_api::features::Feature;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn enables_the_defaults_in_the_order_of_the_chain() {
    let plugins = Flags::default().enabled_plugins().unwrap();
    assert_eq!(plugins.first().unwrap().name, "NamespaceLifecycle");
    assert_eq!(plugins.last().unwrap().name, "ResourceQuota");
    assert_eq!(plugins.len(), 26);
}

#[test]
fn enabling_wins_over_the_default_and_the_order_of_flags_never_matters() {
    let flags = Flags {
        enable_admission_plugins: names(&["AlwaysDeny", "NamespaceExists"]),
        disable_admission_plugins: names(&["PodSecurity"]),
        ..Flags::default()
    };
    let plugins: Vec<_> = flags.enabled_plugins().unwrap().iter().map(|plugin| plugin.name).collect();
    assert_eq!(plugins[..2], ["NamespaceLifecycle", "NamespaceExists"]);
    assert!(!plugins.contains(&"PodSecurity"));
    assert_eq!(plugins.last(), Some(&"AlwaysDeny"));
}

#[test]
fn says_what_the_server_says_of_wrong_flags() {
    let flags = Flags {
        enable_admission_plugins: names(&["PodSecurty", "Priority"]),
        disable_admission_plugins: names(&["Priority"]),
        ..Flags::default()
    };
    let error = flags.enabled_plugins().unwrap_err();
    assert_eq!(
        error.message,
        "[enable-admission-plugins plugin \"PodSecurty\" is unknown, [Priority] in enable-admission-plugins \
         and disable-admission-plugins overlapped]"
    );
    assert_eq!(error.help.unwrap(), "did you mean \"PodSecurity\"?");
}

fn set(values: &[(&str, &str)]) -> Flags {
    let mut flags = Flags::default();
    for (flag, value) in values {
        assert_eq!(flags.set(flag, value), Ok(true), "{flag}");
    }
    flags
}

#[test]
fn takes_values_as_the_server_does() {
    let flags = set(&[
        ("--admission-control-config-file", "a.yaml"),
        ("--enable-admission-plugins", "AlwaysDeny,NamespaceExists"),
        ("--enable-admission-plugins", "AlwaysAdmit"),
        ("--feature-gates", "A=true,B=false"),
        ("--runtime-config", "api/all=true"),
        ("--default-not-ready-toleration-seconds", "0x10"),
    ]);
    let expected = Flags {
        admission_control_config_file: Some(PathBuf::from("a.yaml")),
        enable_admission_plugins: names(&["AlwaysDeny", "NamespaceExists", "AlwaysAdmit"]),
        feature_gates: names(&["A=true", "B=false"]),
        runtime_config: names(&["api/all=true"]),
        default_not_ready_toleration_seconds: 16,
        ..Flags::default()
    };
    assert_eq!(flags, expected);
    assert_eq!(Flags::default().set("--etcd-servers", "x"), Ok(false));
}

#[test]
fn refuses_values_of_the_wrong_type() {
    let error = Flags::default().set("--default-not-ready-toleration-seconds", "5m").unwrap_err();
    assert_eq!(
        error.message,
        "invalid argument \"5m\" for \"--default-not-ready-toleration-seconds\" flag: strconv.ParseInt: parsing \
         \"5m\": invalid syntax"
    );
}

#[test]
fn takes_the_ranges_of_services() {
    let flags =
        set(&[("--service-cluster-ip-range", "10.96.0.0/16"), ("--service-node-port-range", "20000-22767")]);
    assert!(flags.service_network.is_known());
    assert_eq!(flags.service_network.node_ports().to_string(), "20000-22767");
    let error = |flag, value| Flags::default().set(flag, value).unwrap_err().message;
    assert_eq!(
        error("--service-cluster-ip-range", "10.96.0.0"),
        "service-cluster-ip-range[0] is not a valid cidr"
    );
    assert_eq!(
        error("--service-node-port-range", "2-1"),
        "invalid argument \"2-1\" for \"--service-node-port-range\" flag: end port cannot be less than start port: \
         2-1"
    );
}

#[test]
fn feature_gates_may_name_their_component() {
    let profile = |text| set(&[("--feature-gates", text)]).profile();
    assert!(
        profile("kube:GenericWorkload=true, kube: WorkloadWithJob=true")
            .unwrap()
            .enabled(Feature::WorkloadWithJob)
    );
    assert!(profile("GenericWorkload=true,").unwrap().enabled(Feature::GenericWorkload));
    let error = |text| profile(text).unwrap_err().message;
    assert_eq!(error("wardle:A=true"), "component not registered: wardle");
    assert_eq!(
        error("A=true,kube:B=true"),
        "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use"
    );
    assert_eq!(error("A"), "missing bool value for A");
    let help = |text| profile(text).unwrap_err().help;
    assert_eq!(help("GenericWorklod=true").unwrap(), "did you mean GenericWorkload?");
    assert_eq!(help("NoSuchGateAnywhere=true"), None);
    assert_eq!(help("InPlacePodVerticalScaling=false").unwrap(), "leave InPlacePodVerticalScaling out");
}

#[test]
fn emulates_the_last_three_releases() {
    let emulated = |text| set(&[("--emulated-version", text)]);
    assert_eq!(emulated("kube=1.34").emulated_version(), Ok(Version { major: 1, minor: 34 }));
    assert_eq!(emulated("").emulated_version(), Ok(Version::DEFAULT));
    let error = |text| emulated(text).enabled_plugins().unwrap_err().message;
    assert_eq!(error("1.32"), "emulation version 1.32 is not between [1.34, 1.37.0]");
    assert_eq!(error("1.33"), "emulation version 1.33 is not between [1.34, 1.37.0]");
    assert_eq!(error("new"), "could not parse \"new\" as version");
    assert_eq!(error("wardle=1.2"), "component not registered: wardle");
    assert_eq!(error("1.33,kube=1.34"), "duplicate version flag, kube=1.33 and kube=1.34");
}

#[test]
fn another_release_has_its_own_plugins_and_feature_gates() {
    let server = |release, flags: &[(&str, &str)]| {
        let mut all = vec![("--kubernetes-version", release)];
        all.extend(flags);
        set(&all)
    };
    let error = |flags: Flags| {
        let error = flags.enabled_plugins().unwrap_err();
        (error.message, error.help.unwrap_or_default())
    };
    assert_eq!(
        error(server("1.30", &[("--enable-admission-plugins", "PodTopologyLabels")])),
        (
            "enable-admission-plugins plugin \"PodTopologyLabels\" is unknown".to_owned(),
            "Kubernetes 1.30 has no PodTopologyLabels: it exists since 1.33".to_owned()
        )
    );
    let gone = server("1.25", &[("--disable-admission-plugins", "PodSecurityPolicy")]);
    assert_eq!(error(gone).1, "Kubernetes 1.25 has no PodSecurityPolicy: it exists until 1.24");
    assert!(!server("1.35", &[]).profile().unwrap().enabled(Feature::NodeDeclaredFeatures));
    assert!(server("1.22", &[("--feature-gates", "PodSecurity=true")]).profile().is_ok());
    assert_eq!(server("v1.30.2", &[]).emulated_version(), Ok(Version::minor(30)));
    assert_eq!(
        error(server("1.33", &[("--emulated-version", "1.30")])).0,
        "emulation version 1.30 is not between [1.31, 1.33.0]"
    );
    assert_eq!(
        error(server("1.30", &[("--emulated-version", "1.30")])).0,
        "unknown flag: --emulated-version"
    );
}

#[test]
fn knows_the_releases_from_1_10_to_its_own() {
    let error = |release| {
        let error = Flags::default().set("--kubernetes-version", release).unwrap_err();
        (error.message, error.help.unwrap())
    };
    let known = format!("it knows the releases from 1.10 to {}", Version::BINARY);
    assert_eq!(error("1.9"), ("kadmit does not know Kubernetes 1.9".to_owned(), known.clone()));
    assert_eq!(error("1.99"), ("kadmit does not know Kubernetes 1.99".to_owned(), known));
    assert_eq!(error("new").0, "--kubernetes-version \"new\" is not a release");
}

#[test]
fn knows_how_to_authorize() {
    let modes = |text| set(&[("--authorization-mode", text)]).authorization_modes();
    assert_eq!(modes(""), Ok(vec![AuthorizationMode::AlwaysAllow]));
    assert_eq!(modes("Node,RBAC"), Ok(vec![AuthorizationMode::Node, AuthorizationMode::Rbac]));
    let error = |text| modes(text).unwrap_err().message;
    assert_eq!(error("rbac"), "authorization-mode \"rbac\" is not a valid mode");
    assert_eq!(modes("AlwaysDeny"), Ok(vec![AuthorizationMode::AlwaysDeny]));
    let with_file =
        |modes| set(&[("--authorization-mode", modes), ("--authorization-webhook-config-file", "/x")]);
    let rbac_first = vec![AuthorizationMode::Rbac, AuthorizationMode::Webhook(0)];
    assert_eq!(with_file("RBAC,Webhook").authorization_modes(), Ok(rbac_first));
    let alone = vec![AuthorizationMode::Webhook(0), AuthorizationMode::AlwaysAllow];
    assert_eq!(with_file("Webhook").authorization_modes(), Ok(alone));
    assert_eq!(
        with_file("RBAC").authorization_modes().unwrap_err().message,
        "cannot specify --authorization-webhook-config-file without mode Webhook"
    );
    assert_eq!(
        error("ABAC,Webhook,ABAC"),
        "[authorization-mode ABAC's authorization policy file not passed, authorization-mode Webhook's \
         authorization config file not passed, authorization-mode [\"ABAC\" \"Webhook\" \"ABAC\"] has mode specified \
         more than once]"
    );
}
