//! Tests of a program that generates manifests: would the cluster admit them, and how would it change them?
//!
//! `cargo test --example assert-admission` runs them.

use std::io::{self, Write, stdout};

use kadmit::{ApiServer, OfflineCluster, SourceFile};

/// The relevant objects in the cluster, as `kubectl get -o yaml` prints them.
const CLUSTER: &str = "
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels: {pod-security.kubernetes.io/enforce: baseline}
---
apiVersion: v1
kind: LimitRange
metadata: {name: sizes, namespace: shop}
spec:
  limits:
  - {type: Container, default: {cpu: 500m}, max: {cpu: '2'}}
";

/// Returns the output of the program under test.
fn deployment(cpu: &str, host_network: bool) -> String {
    format!(
        "
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      hostNetwork: {host_network}
      containers:
      - name: web
        image: registry.example.com/web@sha256:{digest}
        resources: {{limits: {{cpu: {cpu}}}}}
",
        digest = "0".repeat(64)
    )
}

fn cluster() -> OfflineCluster {
    let server = ApiServer::from_flags(["--kubernetes-version=1.36"]).expect("flags that the server takes");
    server.cluster(&[SourceFile::new("cluster.yaml", CLUSTER)]).expect("objects that exist")
}

fn main() -> io::Result<()> {
    let evaluation = cluster().evaluate(&[SourceFile::new("web.yaml", deployment("1", false))]);
    for outcome in evaluation.outcomes.iter().flat_map(kadmit::Outcome::with_caused) {
        let verdict = if outcome.allowed() { "admitted" } else { "denied" };
        writeln!(stdout(), "{} {}: {verdict}", outcome.kind.kind, outcome.name)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cluster_takes_the_deployment_and_its_pods() {
        let evaluation = cluster().evaluate(&[SourceFile::new("web.yaml", deployment("1", false))]);
        // A failure reads like the terminal.
        assert!(evaluation.is_admitted(), "{evaluation}");
        let (pod, count) = evaluation.outcomes[0].pods().next().expect("Pods");
        let stored: serde_json::Value = pod.object_as().expect("an admitted Pod");
        assert_eq!((count, stored["spec"]["serviceAccountName"].as_str()), (2, Some("default")));
    }

    #[test]
    fn pods_on_the_network_of_the_host_are_refused() {
        let evaluation = cluster().evaluate(&[SourceFile::new("web.yaml", deployment("1", true))]);
        let denied = evaluation.denied().next().expect("a refused Pod");
        assert_eq!(denied.denied_by(), Some("PodSecurity"));
        assert_eq!(denied.status().map(|status| status.code), Some(403));
    }

    #[test]
    fn a_limit_above_the_maximum_is_refused() {
        let evaluation = cluster().evaluate(&[SourceFile::new("web.yaml", deployment("4", false))]);
        let denied = evaluation.denied().next().expect("a refused Pod");
        assert_eq!(denied.denied_by(), Some("LimitRanger"));
        let message = &denied.status().expect("a refusal").message;
        assert!(message.ends_with("maximum cpu usage per Container is 2, but limit is 4"), "{message}");
    }
}
