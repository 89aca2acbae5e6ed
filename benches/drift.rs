//! Makes 5,000 edits of live objects, each of which must be found alone and with its manager, and measures the time of
//! 10,000 live objects next to their manifests.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

#[path = "../tests/library/drift/edits.rs"]
mod edits;
#[path = "../tests/library/drift/states.rs"]
mod states;

/// The number of random edits.
const EDITS: usize = 5_000;

/// The number of live objects: four of each application.
const OBJECTS: usize = 10_000;

#[expect(clippy::print_stdout, reason = "criterion has no place for a figure that is not a time")]
fn random_edits(_: &mut Criterion) {
    let wrong = edits::not_found(EDITS);
    println!("random edits: {} of {EDITS} found alone, with their managers", EDITS - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn many_objects(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drift");
    fs::create_dir_all(&folder).expect("a folder to write to");
    let (manifests, live) = (folder.join("manifests.yaml"), folder.join("live.yaml"));
    let mut text = String::new();
    (0..OBJECTS / 4).for_each(|number| application(number, &mut text));
    fs::write(&manifests, text).expect("a folder to write to");
    let program = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kadmit"));
        command.args(arguments).arg("--no-settings").stderr(Stdio::null());
        command
    };
    // What a cluster has after the manifests were applied.
    let stored = program(&["run", "-o", "yaml", "--workloads", "ignore"]).arg(&manifests).output();
    fs::write(&live, stored.expect("a program to run").stdout).expect("a folder to write to");
    let mut group = criterion.benchmark_group("drift");
    group.throughput(Throughput::Elements(OBJECTS as u64)).sample_size(10);
    group.bench_function("live objects", |bench| {
        bench.iter(|| {
            let mut command = program(&["drift", "--expect-clean"]);
            command.arg("--live").arg(&live).arg(&manifests);
            let status = command.stdout(Stdio::null()).status().expect("a program to run");
            assert!(status.success(), "{status}");
        });
    });
    group.finish();
}

/// Adds a Deployment, its Service, Ingress and `ConfigMap` to `text`.
fn application(number: usize, text: &mut String) {
    let metadata = format!("metadata:\n  name: web-{number}\n  namespace: team-{}\n", number % 50);
    let backend = format!("{{service: {{name: web-{number}, port: {{number: 80}}}}}}");
    let _ = write!(
        text,
        "---\napiVersion: apps/v1\nkind: Deployment\n{metadata}spec:\n  replicas: 2\n  selector:\n    matchLabels: \
         {{app: web-{number}}}\n  template:\n    metadata:\n      labels: {{app: web-{number}}}\n    spec:\n      \
         containers:\n      - name: web\n        image: registry.example.com/web:{number}\n        args: [--listen=:8080]\n        \
         ports:\n        - containerPort: 8080\n        resources: {{requests: {{cpu: 100m, memory: 128Mi}}}}\n\
         ---\napiVersion: v1\nkind: Service\n{metadata}spec:\n  selector: {{app: web-{number}}}\n  ports:\n  - port: 80\n    \
         targetPort: 8080\n\
         ---\napiVersion: v1\nkind: ConfigMap\n{metadata}data:\n  mode: production\n  number: \"{number}\"\n\
         ---\napiVersion: networking.k8s.io/v1\nkind: Ingress\n{metadata}spec:\n  rules:\n  - host: web-{number}.example.com\n    \
         http:\n      paths:\n      - path: /\n        pathType: Prefix\n        backend: {backend}\n"
    );
}

criterion_group!(benches, random_edits, many_objects);
criterion_main!(benches);
