//! Webhooks that are called for real: over HTTPS, through Services, by address, and with recording.

#[path = "../../examples/admission-controller.rs"]
#[expect(dead_code, reason = "the example's own `main`")]
mod example;

#[path = "../library/conformance/script.rs"]
#[expect(dead_code, reason = "the cases compare the calls")]
mod script;
#[path = "../library/conformance/server.rs"]
#[expect(dead_code, reason = "the cases write files of certificates")]
mod server;

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use gotext::value::{Value, json};
use script::Script;
use server::Server;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: default\nspec:\n  containers:\n  - name: web\n    image: nginx\n";

/// Returns a directory with a Pod and a webhook for Pods, whose `client_config` has `$CA_BUNDLE` filled in.
pub(crate) fn directory(name: &str, server: &Server, client_config: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    let hook = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: checks\n\
         webhooks:\n- name: pods.example.com\n  clientConfig: {client_config}\n  rules:\n  - apiGroups: ['']\n    \
         apiVersions: [v1]\n    operations: [CREATE]\n    resources: [pods]\n  sideEffects: None\n  timeoutSeconds: 1\n  \
         admissionReviewVersions: [v1]\n"
    );
    fs::write(directory.join("hook.yaml"), server.named_in(&hook)).expect("a file");
    fs::write(directory.join("pod.yaml"), POD).expect("a file");
    directory
}

/// Returns the result of `kadmit run -o json` for the first request.
fn run(directory: &Path, flags: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_kadmit"))
        .args(["run", "--no-settings", "-o", "json", "--cluster", "hook.yaml", "pod.yaml"])
        .args(flags)
        .current_dir(directory)
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no report: {}", String::from_utf8_lossy(&output.stderr)));
    report["results"][0].clone()
}

pub(crate) fn scripted(answers: &Value) -> Server {
    let server = Server::start();
    server.answer_with(Arc::new(Script::new(answers)));
    server
}

const DENIED: &str = "admission webhook \"pods.example.com\" denied the request: no";

fn denial() -> Value {
    json!({"/validate": {"response": {"allowed": false, "status": {"message": "no"}, "warnings": ["careful"]}}})
}

#[test]
fn what_is_called_is_recorded_and_played_again() {
    let server = scripted(&denial());
    let directory = directory("recorded", &server, "{url: $WEBHOOK/validate, caBundle: $CA_BUNDLE}");
    let called = run(&directory, &["--webhooks", "call", "--record", "recordings"]);
    assert_eq!(called["status"]["message"], DENIED);
    assert_eq!(called["warnings"], json!(["careful"]));
    let played = run(&directory, &["--webhook-recordings", "recordings"]);
    assert_eq!(played, called);
    let files: Vec<_> = fs::read_dir(directory.join("recordings")).expect("recordings").collect();
    let names: Vec<_> = files.into_iter().map(|file| file.expect("a file").file_name()).collect();
    assert_eq!(names, ["pods.example.com-00001.yaml"]);
    let skipped = run(&directory, &[]);
    assert_eq!(skipped["allowed"], true);
    let note = "webhook pods.example.com of checks would be called (failurePolicy Fail); see --webhooks";
    assert!(skipped["notes"].as_array().is_some_and(|notes| notes.iter().any(|found| found == note)));
}

#[test]
fn a_service_is_where_the_user_says() {
    let server = scripted(&denial());
    let service = "{service: {namespace: shop, name: hook, path: /validate}, caBundle: $CA_BUNDLE}";
    let directory = directory("service", &server, service);
    let place = server.named_in("shop/hook=$WEBHOOK");
    let called = run(&directory, &["--webhooks", "call", "--webhook-service", &place]);
    assert_eq!(called["status"]["message"], DENIED);
    let lost = run(&directory, &["--webhooks", "call"]);
    assert_eq!(
        lost["status"]["message"],
        "Internal error occurred: failed calling webhook \"pods.example.com\": failed to call webhook: Post \
         \"https://hook.shop.svc:443/validate?timeout=1s\": service \"hook\" not found"
    );
    let hook = fs::read_to_string(directory.join("hook.yaml")).expect("a file");
    let known = "---\napiVersion: v1\nkind: Service\nmetadata: {name: hook, namespace: shop}\nspec: {ports: [{port: 443}]}\n";
    fs::write(directory.join("hook.yaml"), hook + known).expect("a file");
    let unreachable = run(&directory, &["--webhooks", "call"]);
    assert_eq!(
        unreachable["status"]["message"],
        "Internal error occurred: failed calling webhook \"pods.example.com\": failed to call webhook: Post \
         \"https://hook.shop.svc:443/validate?timeout=1s\": service \"shop/hook\" is in the cluster, but no \
         --webhook-service says where it can be reached"
    );
}

#[test]
fn a_client_certificate_is_shown() {
    let server = scripted(&json!({"/known": {"response": {"allowed": false, "status": {"message": "no"}}}}));
    let directory = directory("known", &server, "{url: $WEBHOOK/known, caBundle: $CA_BUNDLE}");
    let unknown = run(&directory, &["--webhooks", "call"]);
    assert_ne!(unknown["status"]["message"], DENIED);
    let (certificate, key) = Server::client();
    let kubeconfig = "apiVersion: v1\nkind: Config\nusers:\n- name: '*'\n  user: {client-certificate: client.crt, client-key: client.key}\n";
    let path = directory.join("users.yaml");
    let plugins = format!(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: \
         ValidatingAdmissionWebhook\n  configuration: {{apiVersion: apiserver.config.k8s.io/v1, kind: \
         WebhookAdmissionConfiguration, kubeConfigFile: '{}'}}\n",
        path.display()
    );
    let files = [
        ("users.yaml", kubeconfig),
        ("client.crt", certificate),
        ("client.key", key),
        ("plugins.yaml", &plugins),
    ];
    for (name, text) in files {
        fs::write(directory.join(name), text).expect("a file");
    }
    let known = run(&directory, &["--webhooks", "call", "--admission-control-config-file", "plugins.yaml"]);
    assert_eq!(known["status"]["message"], DENIED);
}

#[test]
fn a_server_for_known_clients_says_so() {
    let server = Server::start_for_known_clients();
    server.answer_with(Arc::new(Script::new(&denial())));
    let directory = directory("unknown", &server, "{url: $WEBHOOK/validate, caBundle: $CA_BUNDLE}");
    let refused = run(&directory, &["--webhooks", "call"]);
    let message = refused["status"]["message"].as_str().expect("a message");
    assert!(
        message.ends_with("/validate?timeout=1s\": remote error: tls: certificate required"),
        "{message}"
    );
}

#[test]
fn a_bundle_without_certificates_is_refused_before_a_call() {
    let server = scripted(&denial());
    let directory = directory("bundle", &server, "{url: $WEBHOOK/validate, caBundle: bm9uZQ==}");
    assert_eq!(
        run(&directory, &["--webhooks", "call"])["status"]["message"],
        "Internal error occurred: failed calling webhook \"pods.example.com\": could not get REST client: unable to \
         load root certificates: unable to parse bytes as PEM block"
    );
}

/// Webhooks of the server's own files guard the configuration of admission as well, which those of the API do not see.
#[test]
fn static_webhooks_see_the_configuration_of_admission() {
    let hook = |name: &str, webhook: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {{name: \
             {name}}}\nwebhooks:\n- name: {webhook}\n  clientConfig: {{url: 'https://127.0.0.1/'}}\n  rules:\n  - \
             {{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}}\n  sideEffects: None\n  \
             admissionReviewVersions: [v1]\n"
        )
    };
    let denial = |webhook: &str| {
        format!("webhook: {webhook}\nresponse: {{allowed: false, status: {{message: by {webhook}}}}}\n")
    };
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("static");
    let _ = fs::remove_dir_all(&directory);
    for name in ["static", "recordings"] {
        fs::create_dir_all(directory.join(name)).expect("a directory");
    }
    let plugins = format!(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: \
         ValidatingAdmissionWebhook\n  configuration: {{apiVersion: apiserver.config.k8s.io/v1, kind: \
         WebhookAdmissionConfiguration, staticManifestsDir: '{}'}}\n",
        directory.join("static").display()
    );
    let binding = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: b}\n\
                   spec: {policyName: p, validationActions: [Deny]}\n";
    for (name, text) in [
        ("hook.yaml", hook("of-the-api", "api.example.com")),
        ("static/hook.yaml", hook("guard.static.k8s.io", "guard.example.com")),
        ("recordings/api.yaml", denial("api.example.com")),
        ("recordings/guard.yaml", denial("guard.example.com")),
        ("plugins.yaml", plugins),
        ("pod.yaml", binding.to_owned()),
    ] {
        fs::write(directory.join(name), text).expect("a file");
    }
    let flags = [
        "--webhook-recordings",
        "recordings",
        "--admission-control-config-file",
        "plugins.yaml",
        "--feature-gates=ManifestBasedAdmissionControlConfig=true",
    ];
    let denied = |by: &str| format!("admission webhook \"{by}\" denied the request: by {by}");
    assert_eq!(run(&directory, &flags)["status"]["message"], denied("guard.example.com"));
    assert!(run(&directory, &flags[..2])["status"]["message"].is_null());
    fs::write(directory.join("pod.yaml"), POD).expect("a file");
    assert_eq!(run(&directory, &flags[..2])["status"]["message"], denied("api.example.com"));
    assert_eq!(run(&directory, &flags)["status"]["message"], denied("guard.example.com"));
}

#[test]
fn a_packed_answer_is_read() {
    let server = scripted(&json!({"/packed": denial()["/validate"]}));
    let directory = directory("packed", &server, "{url: $WEBHOOK/packed, caBundle: $CA_BUNDLE}");
    assert_eq!(run(&directory, &["--webhooks", "call"])["status"]["message"], DENIED);
}

/// Expected texts are those of a server of 1.36.
#[test]
fn what_does_not_encrypt_is_told_by_how_it_begins() {
    for (begins, wanted) in [
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "http: server gave HTTP response to HTTPS client"),
        ("SSH-2.0-OpenSSH_9.9\r\n", "tls: first record does not look like a TLS handshake"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            let (mut stream, _) = listener.accept()?;
            let _ = stream.read(&mut [0; 4096])?;
            stream.write_all(begins.as_bytes())?;
            stream.read_to_end(&mut Vec::new())
        });
        let config = format!("{{url: 'https://{address}/validate', caBundle: $CA_BUNDLE}}");
        let directory = directory("plain", &Server::start(), &config);
        assert_eq!(
            run(&directory, &["--webhooks", "call"])["status"]["message"],
            format!(
                "Internal error occurred: failed calling webhook \"pods.example.com\": failed to call webhook: Post \
                 \"https://{address}/validate?timeout=1s\": {wanted}"
            )
        );
    }
}

#[test]
fn a_server_that_nobody_vouches_for_is_not_asked() {
    let server = scripted(&denial());
    let directory = directory("untrusted", &server, "{url: $WEBHOOK/validate}");
    let refused = run(&directory, &["--webhooks", "call"]);
    let message = refused["status"]["message"].as_str().expect("a message");
    let why = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    assert!(message.ends_with(why), "{message}");
}

#[test]
fn a_slow_webhook_ends_within_its_time() {
    let server = scripted(&json!({"/validate": {"delay": 5, "response": {"allowed": true}}}));
    let directory = directory("slow", &server, "{url: $WEBHOOK/validate, caBundle: $CA_BUNDLE}");
    let started = Instant::now();
    let refused = run(&directory, &["--webhooks", "call"]);
    let message = refused["status"]["message"].as_str().expect("a message");
    assert!(message.ends_with("context deadline exceeded"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
}

#[test]
fn a_busy_webhook_is_called_again_when_it_says() {
    let busy = |seconds: u64| {
        let headers = format!("text/plain\r\nRetry-After: {seconds}");
        json!({"status": 503, "type": headers, "raw": "busy"})
    };
    let config = "{url: $WEBHOOK/validate, caBundle: $CA_BUNDLE}";
    let then_denied = scripted(
        &json!({"/validate": [busy(0), {"response": {"allowed": false, "status": {"message": "no"}}}]}),
    );
    let called = run(&directory("busy", &then_denied, config), &["--webhooks", "call"]);
    assert_eq!(called["status"]["message"], DENIED);
    let started = Instant::now();
    let too_late = scripted(&json!({"/validate": busy(30)}));
    let refused = run(&directory("too-late", &too_late, config), &["--webhooks", "call"]);
    let message = refused["status"]["message"].as_str().expect("a message");
    assert!(message.ends_with("/validate?timeout=1s\": context deadline exceeded"), "{message}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let always = scripted(&json!({"/validate": busy(0)}));
    let refused = run(&directory("always", &always, config), &["--webhooks", "call"]);
    let message = refused["status"]["message"].as_str().expect("a message");
    assert!(message.ends_with("the server is currently unable to handle the request"), "{message}");
}

/// Policies of the server's own files are evaluated first, and bindings of the API do not bind them.
#[test]
fn static_policies_come_first() {
    let policy = |name: &str, message: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: \
             {name}}}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {{apiGroups: [''], apiVersions: [v1], \
             operations: [CREATE], resources: [pods]}}\n  validations:\n  - {{expression: 'false', message: \
             {message}}}\n---\n"
        )
    };
    let binding = |name: &str, policy: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: \
             {name}}}\nspec: {{policyName: {policy}, validationActions: [Deny]}}\n---\n"
        )
    };
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("static-policies");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.join("static")).expect("a directory");
    let plugins = format!(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: \
         ValidatingAdmissionPolicy\n  configuration: {{apiVersion: apiserver.config.k8s.io/v1, kind: \
         ValidatingAdmissionPolicyConfiguration, staticManifestsDir: '{}'}}\n",
        directory.join("static").display()
    );
    let fixed = policy("last.static.k8s.io", "of the server") + &policy("lax.static.k8s.io", "lax");
    for (name, text) in [
        (
            "hook.yaml",
            policy("first", "of the API")
                + &binding("first", "first")
                + &binding("stray", "lax.static.k8s.io"),
        ),
        ("static/policies.yaml", fixed + &binding("last.static.k8s.io", "last.static.k8s.io")),
        ("plugins.yaml", plugins),
        ("pod.yaml", POD.to_owned()),
    ] {
        fs::write(directory.join(name), text).expect("a file");
    }
    let gate = "--feature-gates=ManifestBasedAdmissionControlConfig=true";
    let denied = run(&directory, &["--admission-control-config-file", "plugins.yaml", gate]);
    assert_eq!(
        denied["status"]["message"],
        "pods \"web\" is forbidden: ValidatingAdmissionPolicy 'last.static.k8s.io' with binding 'last.static.k8s.io' \
         denied request: of the server"
    );
}

#[test]
fn servers_are_asked_by_their_addresses() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || example::serve(&listener));
    let server = Server::start();
    let directory = directory("address", &server, "{url: $WEBHOOK/validate, caBundle: $CA_BUNDLE}");
    fs::write(directory.join("hook.yaml"), "").expect("a file");
    let flags = ["--webhooks", "call", "--admission-controllers", &address, "--record", "recordings"];
    let denied = run(&directory, &flags);
    let why = "whose is it? kubernetes-admin left no label";
    assert_eq!(
        denied["status"]["message"],
        format!("pods \"web\" is forbidden: admission controller \"{address}\" denied the request: {why}")
    );
    let played =
        run(&directory, &["--admission-controllers", &address, "--webhook-recordings", "recordings"]);
    assert_eq!(played, denied);
    fs::write(directory.join("pod.yaml"), POD.replace("  namespace", "  labels: {team: a}\n  namespace"))
        .expect("a file");
    assert_eq!(run(&directory, &flags)["allowed"], true);
    let slices = format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: gate, namespace: ops, labels: {{gate: main}}}}\n---\n\
         apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\nmetadata: {{name: gate-1, \
         namespace: ops, labels: {{kubernetes.io/service-name: gate}}}}\nports: [{{port: {}}}]\nendpoints: \
         [{{addresses: [127.0.0.1]}}]\n",
        address.rsplit_once(':').expect("a port").1
    );
    fs::write(directory.join("hook.yaml"), slices).expect("a file");
    fs::write(directory.join("pod.yaml"), POD).expect("a file");
    let by_service = ["--webhooks", "call", "--admission-controller-service", "ops/gate=main"];
    assert_eq!(run(&directory, &by_service)["status"]["message"], denied["status"]["message"]);
}
