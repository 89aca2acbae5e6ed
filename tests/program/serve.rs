//! The API server: every verb over HTTPS, as clients send it.

mod controllers;
mod deletions;
mod hooks;
mod hostile;
mod http2;
mod objects;
mod openapi;
mod owners;
mod patches;
mod protocol;
mod relations;
mod tokens;
mod verbs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gotext::value::{Value, json};
use kadmit::{ApiServer, Pods, Server, ServerOptions, SourceFile, UserInfo};

use crate::client::Client;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const PODS: &str = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn start(flags: &[&str]) -> (Server, Client) {
    start_with(flags, Pods::default())
}

fn start_with(flags: &[&str], pods: Pods) -> (Server, Client) {
    let cluster = ApiServer::from_flags(flags).expect("flags").cluster(&[]).expect("a cluster");
    let mut options = ServerOptions::default();
    options.pods = pods;
    let server = Server::start_with(cluster, &options).expect("a free port");
    let client = Client::new(server.address(), server.certificate_authority(), server.token());
    (server, client)
}

/// Starts a server with the objects in `seeded`.
fn start_from(seeded: &str) -> (Server, Client) {
    let cluster = ApiServer::from_flags(Vec::<&str>::new()).expect("flags");
    let cluster = cluster.cluster(&[SourceFile::new("dump.yaml", seeded)]).expect("a cluster");
    let server = Server::start(cluster).expect("a free port");
    let client = Client::new(server.address(), server.certificate_authority(), server.token());
    (server, client)
}

fn config_map(name: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

fn pod(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"containers": [{"name": "a", "image": "nginx"}]},
    })
}

fn deployment(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "a", "image": "nginx"}]},
            },
        },
    })
}

fn definition() -> Value {
    let properties = json!({
        "spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}, "replicas": {"type": "integer"}}},
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "shops", "singular": "shop", "kind": "Shop", "shortNames": ["sh"]},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
            }],
        },
    })
}

fn names(list: &Value) -> Vec<&str> {
    list.list("items").iter().map(|item| item.text(["metadata", "name"])).collect()
}

#[test]
fn objects_of_the_cluster_keep_their_versions() {
    let seeded =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default, resourceVersion: '4711'}}";
    let (_server, client) = start_from(seeded);
    let path = format!("{CONFIG_MAPS}/a");
    let mut found = client.get(&path).object(200);
    assert_eq!(found.text(["metadata", "resourceVersion"]), "4711");
    found["data"]["x"] = "1".into();
    let changed = client.put(&path, &found).object(200);
    let version: u64 = changed.text(["metadata", "resourceVersion"]).parse().expect("a number");
    assert!(version > 4711, "{version}");
    assert_eq!(client.put(&path, &found).code, 409);
}

#[test]
fn users_do_what_their_roles_allow() {
    let role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: a}, \
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, \
                subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: alice}]}";
    let cluster = ApiServer::from_flags(["--authorization-mode=RBAC"]).expect("flags");
    let cluster = cluster.cluster(&[SourceFile::new("role.yaml", role)]).expect("a cluster");
    let mut options = ServerOptions::default();
    let alice = UserInfo { username: "alice".to_owned(), ..UserInfo::default() };
    options.users.push(("secret".to_owned(), alice));
    let server = Server::start_with(cluster, &options).expect("a free port");
    let of = |token: &str| Client::new(server.address(), server.certificate_authority(), token);
    let (admin, alice, anonymous) = (of(server.token()), of("secret"), of(""));
    alice.get(PODS).object(200);
    assert_eq!(
        alice.post(PODS, &pod("a")).refusal().2,
        "pods is forbidden: User \"alice\" cannot create resource \"pods\" in API group \"\" in the namespace \"default\""
    );
    assert_eq!(of("other").get(PODS).refusal(), (401, "Unauthorized".to_owned(), "Unauthorized".to_owned()));
    assert_eq!(anonymous.get("/healthz").code, 200);
    assert_eq!(anonymous.get(PODS).refusal().0, 403);
    let impersonating = admin.with("Impersonate-User: alice");
    assert_eq!(impersonating.post(PODS, &pod("a")).code, 403);
    assert_eq!(alice.with("Impersonate-User: bob").get(PODS).refusal().0, 403);
    assert_eq!(
        admin.with("Impersonate-Group: x").get(PODS).refusal().2,
        "requested &user.DefaultInfo{Name:\"\", UID:\"\", Groups:[]string{\"x\"}, Extra:map[string][]string(nil)} \
         without impersonating a user name"
    );
    let review = json!({"spec": {"resourceAttributes": {"verb": "list", "resource": "pods"}}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    assert_eq!(alice.post(path, &review).object(201)["status"]["allowed"], true);
    let token = admin
        .post("/api/v1/namespaces/default/serviceaccounts/default/token", &json!({"spec": {}}))
        .object(201);
    let token = token.text(["status", "token"]);
    let who = of(token).post("/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({})).object(201);
    assert_eq!(who["status"]["userInfo"]["username"], "system:serviceaccount:default:default");
}

#[test]
fn what_is_not_there_is_refused() {
    let (server, client) = start(&[]);
    let anonymous = Client::new(server.address(), server.certificate_authority(), "");
    assert_eq!(anonymous.get("/healthz").code, 401);
    for (method, path, code) in [
        ("GET", "/nothing", 404),
        ("GET", "/apis/example.com/v1/shops", 404),
        ("GET", "/api/v1/nothing", 404),
        ("GET", "/api/v1/namespaces/default/nodes", 404),
        ("GET", "/api/v1/namespaces/default/pods/a/nothing", 404),
        ("PUT", PODS, 405),
        ("POST", "/api/v1/namespaces/default/pods/a", 405),
        ("GET", "/api/v1/namespaces/default/pods/a/binding", 405),
        ("GET", "/api/v1/namespaces/default/pods/a/log", 404),
        ("POST", "/api/v1/namespaces/default/pods/a/log", 405),
        ("PUT", "/api/v1/namespaces/default/pods/a/exec", 405),
        ("POST", "/api/v1/watch/namespaces/default/pods", 405),
        ("BREW", PODS, 405),
    ] {
        let answer = client.send(method, path, "", "");
        assert_eq!(answer.code, code, "{method} {path}: {}", answer.body);
    }
    client.post(PODS, &pod("a")).object(201);
    let a = format!("{PODS}/a");
    assert_eq!(client.get(&format!("{a}/log")).code, 204, "nothing is there before it has a node");
    assert_eq!(client.get(&format!("{a}/log?container=b")).refusal().2, "container b is not valid for pod a");
    for method in ["GET", "POST"] {
        let exec = client.send(method, &format!("{a}/exec"), "", "").refusal();
        assert_eq!((exec.0, exec.2.as_str()), (400, "pod a does not have a host assigned"));
    }
    assert_eq!(client.get(&format!("{a}/proxy")).refusal().2, "address not allowed");
    let lines = client.get(&format!("{a}/log?tailLines=-1")).refusal().2;
    assert_eq!(
        lines,
        "PodLogOptions \"a\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0"
    );
    assert_eq!(client.get("/api/v1/nodes/n/proxy").refusal().0, 404);
    let binding = json!({"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "n"}});
    client.post(&format!("{a}/binding"), &binding).object(201);
    let connections = ["log", "exec", "attach", "portforward"].map(|path| format!("{a}/{path}"));
    for path in &connections {
        let node = client.get(path).refusal();
        assert_eq!((node.0, node.2.as_str()), (404, "pods \"n\" not found"), "{path}");
    }
    client.post("/api/v1/nodes", &json!({"metadata": {"name": "n"}})).object(201);
    for path in connections.iter().map(String::as_str).chain(["/api/v1/nodes/n/proxy"]) {
        let node = client.get(path).refusal();
        let expected = (500, "no preferred addresses found; known addresses: []");
        assert_eq!((node.0, node.2.as_str()), expected, "{path}");
    }
    let addresses = json!({"status": {"addresses": [{"type": "InternalIP", "address": "192.0.2.1"}]}});
    client.patch("/api/v1/nodes/n/status", "merge-patch+json", &addresses).object(200);
    assert_eq!(client.get("/api/v1/nodes/n/proxy").refusal().0, 501);
    for path in ["log", "exec", "attach", "portforward"] {
        assert_eq!(client.get(&format!("{a}/{path}")).refusal().0, 501, "{path}");
    }
    for path in ["log", "exec", "attach"] {
        let other = client.get(&format!("{a}/{path}?container=b")).refusal();
        assert_eq!((other.0, other.2.as_str()), (400, "container b is not valid for pod a"), "{path}");
    }
    assert_eq!(client.send("POST", PODS, "text/plain", "{}").refusal().0, 415);
    assert_eq!(client.with("Accept: application/vnd.kubernetes.protobuf").get(PODS).refusal().0, 406);
    let (code, _, message) = client.send("POST", PODS, "application/json", "{").refusal();
    assert_eq!(code, 400);
    assert!(message.starts_with("the object provided is unrecognized (must be of type Pod): "), "{message}");
    let huge = format!("{{\"data\": \"{}\"}}", "x".repeat(3 << 20));
    assert_eq!(client.send("POST", CONFIG_MAPS, "application/json", &huge).refusal().0, 413);
}

#[test]
fn every_page_of_discovery_is_there() {
    let (_server, client) = start(&[]);
    assert_eq!(client.get("/version").object(200).text("major"), "1");
    let metrics = client.get("/metrics");
    let services = "apiserver_resource_objects{group=\"\",resource=\"services\"} 1\n";
    assert!(metrics.code == 200 && metrics.body.contains(services), "{}", metrics.body);
    // kubectl and others find fields by their order.
    let core = client.get("/api/v1").body;
    let pods = "{\"name\":\"pods\",\"singularName\":\"pod\",\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":[\"create\",\
                \"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\"],\"shortNames\":[\"po\"],\
                \"categories\":[\"all\"],\"storageVersionHash\":\"xPOwRZ+Yhw8=\"}";
    assert!(core.contains(pods), "{core}");
    assert_eq!(client.get("/api").object(200)["versions"], json!(["v1"]));
    let groups = client.get("/apis").object(200);
    for group in groups.list("groups") {
        let preferred = group.text(["preferredVersion", "groupVersion"]);
        let list = client.get(&format!("/apis/{preferred}")).object(200);
        assert_eq!(list.text("groupVersion"), preferred);
        assert!(!list.list("resources").is_empty(), "{preferred}");
        client.get(&format!("/openapi/v3/apis/{preferred}")).object(200);
    }
    let aggregated = "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let list = client.with(aggregated).get("/apis").object(200);
    assert_eq!(list.list("items").len(), groups.list("groups").len());
    let document = client.get("/openapi/v2").object(200);
    let containers = &document["definitions"]["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
    assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
}

/// A server in a process of its own, which writes in its directory.
struct Program {
    process: Child,
    client: Client,
}

impl Program {
    fn start(directory: &Path, flags: &[&str]) -> Self {
        let ready = directory.join("ready");
        let _ = fs::remove_file(&ready);
        let process = Command::new(env!("CARGO_BIN_EXE_kadmit"))
            .args(["serve", "--kubeconfig", "config", "--ready-file", "ready"])
            .args(["--user", "alice=secret,system:masters", "--dump", "dump.yaml"])
            .args(flags)
            .current_dir(directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let began = Instant::now();
        while !ready.exists() {
            assert!(began.elapsed() < Duration::from_secs(30), "the server is not ready");
            thread::sleep(Duration::from_millis(10));
        }
        let url = fs::read_to_string(ready).expect("a URL");
        let address = url.trim().strip_prefix("https://").expect("a URL").parse().expect("an address");
        let config = SourceFile::new("config", fs::read_to_string(directory.join("config")).expect("a file"));
        let config = kube_yaml::read_first(&config).expect("YAML").node.into_value();
        let authority =
            config["clusters"][0]["cluster"]["certificate-authority-data"].as_str().expect("base64");
        let authority = String::from_utf8(gotext::base64::decoded(authority)).expect("PEM");
        Self { process, client: Client::new(address, &authority, "secret") }
    }

    fn end(self, signal: &str) -> Output {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().expect("kill").success());
        self.process.wait_with_output().expect("output")
    }
}

fn scratch(name: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

#[test]
fn the_program_serves_until_it_is_told_to_stop() {
    let directory = scratch("serve");
    let program = Program::start(&directory, &["-o", "json"]);
    let client = &program.client;
    client.post(CONFIG_MAPS, &config_map("a", &json!({"x": "1"}))).object(201);
    assert_eq!(client.post("/api/v1/namespaces/none/configmaps", &config_map("a", &json!({}))).code, 404);
    let output = program.end("TERM");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["summary"]["requests"], 2);
    assert_eq!(report["results"][1]["allowed"], false);
    let dump = fs::read_to_string(directory.join("dump.yaml")).expect("a dump");
    assert!(dump.contains("kind: ConfigMap") && dump.contains("x: \"1\""), "{dump}");
}

/// The formats that a file can have in every build.
const FORMATS: [&str; 16] = [
    "admissionrequest",
    "admissionreview",
    "blame",
    "github",
    "gitlab",
    "html",
    "json",
    "jsonl",
    "junit",
    "markdown",
    "policyreport",
    "policyreport-v1alpha2",
    "sarif",
    "tap",
    "text",
    "yaml",
];

/// Every report is complete when a signal has ended the server, and the next one begins with its objects.
#[test]
fn signals_end_the_program_with_all_reports() {
    let directory = scratch("serve-reports");
    let outputs = FORMATS.map(|format| format!("{format}=report.{format}"));
    let mut flags = vec!["-o", "text"];
    flags.extend(outputs.iter().flat_map(|output| ["-o", output]));
    let mut uids = Vec::new();
    for (signal, name) in [("INT", "first"), ("TERM", "second")] {
        let program = Program::start(&directory, &flags);
        program.client.post(CONFIG_MAPS, &config_map(name, &json!({"x": "1"}))).object(201);
        let first = program.client.get(&format!("{CONFIG_MAPS}/first")).object(200);
        uids.push(first.text(["metadata", "uid"]).to_owned());
        let output = program.end(signal);
        let read = |file: &str| fs::read_to_string(directory.join(file)).expect("a file");
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(0), "{signal}: {text}");
        assert!(text.contains("1 object: 1 admitted, 0 denied") && text.contains(name), "{signal}: {text}");
        // The last line has the time that it took.
        let without_time = |text: &str| text.rsplit_once(';').expect("a summary").0.to_owned();
        assert_eq!(without_time(&read("report.text")), without_time(&text));
        assert!(read("report.html").trim_end().ends_with("</html>"), "{signal}");
        let lines = read("report.jsonl");
        let line: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
        assert_eq!(line["request"]["name"], name, "{signal}: {lines}");
        let report: Value = serde_json::from_str(&read("report.json")).expect("JSON");
        assert_eq!(report["summary"]["requests"], 1, "{signal}: {report}");
        for format in FORMATS.iter().filter(|format| !matches!(**format, "admissionrequest" | "github")) {
            assert!(read(&format!("report.{format}")).len() > 2, "{signal}: {format} is empty");
        }
        let mut found: Vec<_> = fs::read_dir(&directory)
            .expect("a directory")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
            .collect();
        found.retain(|file| file != "cluster.yaml");
        found.sort();
        let mut expected = vec!["config".to_owned(), "dump.yaml".to_owned(), "ready".to_owned()];
        expected.extend(FORMATS.map(|format| format!("report.{format}")));
        expected.sort();
        assert_eq!(found, expected, "{signal}");
        fs::rename(directory.join("dump.yaml"), directory.join("cluster.yaml")).expect("a dump");
        flags.truncate(2 + 2 * FORMATS.len());
        flags.extend(["--cluster", "cluster.yaml"]);
    }
    assert_eq!(uids[0], uids[1], "the second server has the object of the first");
}
