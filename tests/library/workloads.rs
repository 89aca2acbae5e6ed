//! The consequences of an admitted workload, in a cluster with the default chain.

use std::sync::Arc;

use kadmit::cluster::{Cluster, Fixture};
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Outcome, Place, Prepared, Request, RequestDefaults};
use kube_api::server_profile::ServerProfile;
use kube_api::version::Version;
use kube_api::{Status, Value};

use gotext::source::SourceFile;
use gotext::value::json;

/// A server with the default chain, and its outcomes.
struct Server {
    evaluator: Evaluator,
    profile: Arc<ServerProfile>,
}

impl Server {
    /// Returns a server whose cluster has the objects of `fixtures`.
    fn new(fixtures: &str) -> Self {
        let profile = Arc::new(ServerProfile::default());
        let cluster = Arc::new(Cluster::new());
        for item in items(fixtures) {
            let fixture = Fixture::read(item.node, "default", &cluster, &profile).expect("a fixture");
            cluster.put(&fixture.resource, fixture.object);
        }
        let configuration = Configuration::new(&Flags::default(), profile.clone(), cluster.clone());
        let chain = configuration.expect("a valid configuration").chain;
        Self { evaluator: Evaluator::new(cluster, chain, profile.clone(), false), profile }
    }

    /// Evaluates every document of `text`.
    fn run(&mut self, text: &str) -> Vec<Outcome> {
        let mut defaults = RequestDefaults::of_release(Version::BINARY);
        defaults.namespace = String::from("shop");
        defaults.user_info = Arc::default();
        let requests = items(text).into_iter().map(|item| Request::new(item, &defaults).expect("a request"));
        let prepared: Vec<_> = requests.map(|request| Prepared::new(request, &self.profile)).collect();
        prepared
            .into_iter()
            .map(|prepared| {
                let outcome = self.evaluator.evaluate(prepared).expect("a known kind");
                assert!(outcome.allowed(), "{:?}", outcome.status());
                outcome
            })
            .collect()
    }

    /// Evaluates the documents of `text`; returns the consequences of the last one, and what was refused at first.
    fn follow(&mut self, text: &str) -> Vec<Outcome> {
        let mut caused = self.run(text).pop().expect("a document").caused;
        self.evaluator.finish(|outcome| caused.push(outcome));
        caused
    }
}

fn items(text: &str) -> Vec<kube_yaml::Item> {
    let source = SourceFile::new("a.yaml", text);
    kube_yaml::read(&source).flat_map(|document| document.expect("YAML").unwrap_list()).collect()
}

/// Returns `3/5 Pod web-` and why not more.
fn told(outcomes: &[Outcome]) -> Vec<String> {
    let line = |outcome: &Outcome| {
        let cause = outcome.cause.as_ref().expect("a controller");
        let object = outcome.received.as_deref().expect("an object");
        let name = if object.generate_name().is_empty() { object.name() } else { object.generate_name() };
        let message = |status: &Status| status.message.replace(&format!("\"{}\"", outcome.name), name);
        let reason = outcome.status().map(|status| format!(": {}", message(status))).unwrap_or_default();
        format!("{}/{} {} {name}{reason}", cause.admitted, cause.replicas, object.kind.kind)
    };
    outcomes.iter().map(line).collect()
}

fn received(outcome: &Outcome) -> &Value {
    &outcome.received.as_deref().expect("an object").value
}

fn workload(kind: &str, name: &str, spec: &str) -> String {
    let group = if kind == "Job" || kind == "CronJob" { "batch" } else { "apps" };
    format!("{{apiVersion: {group}/v1, kind: {kind}, metadata: {{name: {name}}}, spec: {{{spec}}}}}\n---\n")
}

fn template(image: &str) -> String {
    format!(
        "selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, \
         spec: {{containers: [{{name: web, image: {image}}}]}}}}"
    )
}

fn deployment(replicas: u32, image: &str) -> String {
    workload("Deployment", "web", &format!("replicas: {replicas}, {}", template(image)))
}

fn quota(hard: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: team}}, spec: {{hard: {{{hard}}}}}}}\n---\n"
    )
}

#[test]
fn a_deployment_makes_a_replica_set_and_its_pods() {
    let mut server = Server::new("");
    let caused = server.follow(&deployment(3, "nginx"));
    let hash = received(&caused[0])["metadata"]["labels"]["pod-template-hash"].as_str().expect("a hash");
    assert_eq!(told(&caused), [format!("1/1 ReplicaSet web-{hash}"), format!("3/3 Pod web-{hash}-")]);
    let set = received(&caused[0]);
    let owner = |kind, name| {
        json!([{
            "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "00000000-0000-4000-8000-000000000000",
            "controller": true, "blockOwnerDeletion": true,
        }])
    };
    assert_eq!(set["metadata"]["ownerReferences"], owner("Deployment", "web"));
    assert_eq!(
        set["metadata"]["annotations"],
        json!({
            "deployment.kubernetes.io/desired-replicas": "3",
            "deployment.kubernetes.io/max-replicas": "4",
            "deployment.kubernetes.io/revision": "1",
        })
    );
    let labels = json!({"app": "web", "pod-template-hash": hash});
    assert_eq!(set["spec"]["selector"], json!({"matchLabels": labels}));
    assert_eq!(set["spec"]["replicas"], 3);
    let pod = received(&caused[1]);
    assert_eq!(pod["metadata"]["labels"], labels);
    assert_eq!(pod["metadata"]["ownerReferences"], owner("ReplicaSet", &format!("web-{hash}")));
    assert_eq!(pod["spec"]["containers"][0]["imagePullPolicy"], "Always");
    assert_eq!(caused[0].user_info.username, "system:serviceaccount:kube-system:deployment-controller");
    assert_eq!(caused[1].user_info.username, "system:serviceaccount:kube-system:replicaset-controller");
}

#[test]
fn a_finding_points_at_the_template() {
    let enforced = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: \
                    {pod-security.kubernetes.io/enforce: baseline}}}";
    let text = "\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: '@daily'
  jobTemplate:
    spec:
      template:
        spec:
          hostPID: true
          restartPolicy: Never
          containers: [{name: web, image: nginx}]
";
    let caused = Server::new(enforced).follow(text);
    assert_eq!(
        told(&caused),
        [
            "1/1 Job nightly-29453760",
            "0/1 Pod nightly-29453760-: pods nightly-29453760- is forbidden: violates PodSecurity \
             \"baseline:latest\": host namespaces (hostPID=true)",
        ]
    );
    let place = caused[1].place.as_ref().expect("a place");
    let written = place.written().expect("readable text");
    let fields = &caused[1].refusal.as_ref().expect("a refusal").fields;
    let lines: Vec<_> = fields.iter().filter_map(|field| written.line_column(field)).collect();
    assert_eq!(lines, [(10, 20)]);
    assert_eq!(place.line_column(), (8, 7));
    assert_eq!(caused[0].place.as_ref().map(Place::line_column), Some((6, 3)));
}

#[test]
fn every_replica_counts_against_the_quota() {
    let mut server = Server::new("");
    let text = quota("pods: 4, count/replicasets.apps: 1") + &deployment(5, "nginx");
    let caused = server.follow(&text);
    assert_eq!(caused[1].cause.as_ref().map(|cause| cause.admitted), Some(4));
    let message = &caused[1].status().expect("a refusal").message;
    assert!(
        message.ends_with(
            "is forbidden: exceeded quota: team, requested: pods=1, used: pods=4, limited: pods=4"
        ),
        "{message}"
    );
    let other = workload("ReplicaSet", "other", &format!("replicas: 2, {}", template("nginx")));
    let refused = server.evaluator.evaluate(prepared(&server.profile, &other)).expect("a known kind");
    let message = &refused.status().expect("a refusal").message;
    assert!(
        message.ends_with("used: count/replicasets.apps=1, limited: count/replicasets.apps=1"),
        "{message}"
    );
}

fn prepared(profile: &ServerProfile, text: &str) -> Prepared {
    let mut defaults = RequestDefaults::of_release(Version::BINARY);
    defaults.namespace = String::from("shop");
    defaults.user_info = Arc::default();
    let item = items(text).pop().expect("a document");
    Prepared::new(Request::new(item, &defaults).expect("a request"), profile)
}

#[test]
fn a_quota_that_comes_later_counts_every_replica() {
    let mut server = Server::new("");
    let text = deployment(7, "nginx") + &quota("pods: 8") + &deployment(7, "nginx") + &deployment(9, "nginx");
    let caused = server.follow(&text);
    assert_eq!(told(&caused)[0].split(' ').next(), Some("1/1"));
    assert_eq!(caused[1].cause.as_ref().map(|cause| (cause.admitted, cause.replicas)), Some((1, 2)));
}

#[test]
fn controllers_ask_again_for_what_was_refused() {
    let spec = template("nginx").replace("{containers", "{serviceAccountName: web, containers");
    let set = workload("ReplicaSet", "web", &format!("replicas: 2, {spec}"));
    let account = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}";
    assert_eq!(told(&Server::new("").follow(&format!("{set}{account}"))), ["2/2 Pod web-"]);
    let caused = Server::new("").follow(&set);
    assert_eq!(
        told(&caused),
        [
            "0/2 Pod web-: pods \"web-\" is forbidden: error looking up service account shop/web: serviceaccount \
          \"web\" not found"
        ]
    );
}

#[test]
fn what_did_not_change_is_not_asked_for_again() {
    let mut server = Server::new("");
    let text = deployment(2, "nginx") + &deployment(2, "nginx");
    assert_eq!(told(&server.follow(&text)), [""; 0]);
}

#[test]
fn a_new_template_replaces_the_pods() {
    let mut server = Server::new("");
    // A rollout needs one pod more than allowed, and hangs.
    let text = quota("pods: 2") + &deployment(2, "nginx:1") + &deployment(2, "nginx:2");
    let caused = server.follow(&text);
    assert_eq!(caused.iter().map(Outcome::allowed).collect::<Vec<_>>(), [true, false], "{:?}", told(&caused));
    let mut server = Server::new("");
    let rolling = |image: &str, more: &str| {
        let spec = template(image);
        workload("Deployment", "web", &format!("replicas: 2, strategy: {{{more}}}, {spec}"))
    };
    let unavailable = "rollingUpdate: {maxSurge: 0, maxUnavailable: 1}";
    for strategy in ["type: Recreate", unavailable] {
        let text = quota("pods: 2") + &rolling("nginx:1", strategy) + &rolling("nginx:2", strategy);
        let caused = server.follow(&text);
        let counts: Vec<_> = told(&caused).iter().map(|line| line[..3].to_owned()).collect();
        assert_eq!(counts, ["1/1", "2/2"], "{:?}", told(&caused));
        server = Server::new("");
    }
    server.follow(&(quota("pods: 2") + &deployment(2, "nginx:2")));
    let scaled_down =
        deployment(1, "nginx:2") + &workload("Deployment", "two", &format!("replicas: 1, {}", template("a")));
    let caused = server.follow(&scaled_down);
    assert!(caused.iter().all(Outcome::allowed), "{:?}", told(&caused));
}

#[test]
fn a_deployment_whose_pods_are_unknown_says_so() {
    let old = deployment(2, "nginx:1").replace("name: web}, spec", "name: web, namespace: shop}, spec");
    assert_eq!(told(&Server::new(&old).follow(&deployment(2, "nginx:1"))), [""; 0]);
    let mut server = Server::new(&old);
    let outcome = server.run(&deployment(2, "nginx:2")).pop().expect("a document");
    assert_eq!(outcome.caused.len(), 2);
    assert_eq!(
        outcome.trace.notes,
        [
            "assumed namespace \"shop\" (not among the cluster objects)",
            "the Pods that Deployment shop/web had before are not among the cluster objects: quotas count them in addition to \
             the new ones",
        ]
    );
}

#[test]
fn a_paused_deployment_and_a_suspended_job_make_nothing() {
    let mut server = Server::new("");
    let paused = workload("Deployment", "web", &format!("paused: true, {}", template("nginx")));
    assert_eq!(told(&server.follow(&paused)), [""; 0]);
    let job = "suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}";
    assert_eq!(told(&server.follow(&workload("Job", "once", job))), [""; 0]);
    let cron_job = format!(
        "schedule: '@daily', suspend: true, jobTemplate: {{spec: {{{}}}}}",
        job.replace("suspend: true, ", "")
    );
    assert_eq!(told(&server.follow(&workload("CronJob", "nightly", &cron_job))), [""; 0]);
}

#[test]
fn a_stateful_set_claims_volumes_for_each_pod() {
    let claims = "volumeClaimTemplates: [{metadata: {name: data, labels: {tier: db}}, spec: {accessModes: \
                  [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]";
    let set = workload(
        "StatefulSet",
        "db",
        &format!("replicas: 3, serviceName: peers, ordinals: {{start: 5}}, {}, {claims}", template("db")),
    );
    let caused = Server::new("").follow(&set);
    let revision = received(&caused[0])["metadata"]["name"].as_str().expect("a name");
    assert_eq!(
        told(&caused),
        [
            format!("1/1 ControllerRevision {revision}"),
            "3/3 PersistentVolumeClaim data-db-5".to_owned(),
            "3/3 Pod db-".to_owned(),
        ]
    );
    assert_eq!(received(&caused[1])["metadata"]["labels"], json!({"app": "web", "tier": "db"}));
    let pod = received(&caused[2]);
    assert_eq!(pod["metadata"]["name"], "db-5");
    assert_eq!(
        pod["metadata"]["labels"],
        json!({
            "app": "web",
            "apps.kubernetes.io/pod-index": "5",
            "controller-revision-hash": revision,
            "statefulset.kubernetes.io/pod-name": "db-5",
        })
    );
    assert_eq!(pod["spec"]["hostname"], "db-5");
    assert_eq!(pod["spec"]["subdomain"], "peers");
    assert_eq!(
        pod["spec"]["volumes"],
        json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data-db-5"}}])
    );

    let caused = Server::new("").follow(&(quota("persistentvolumeclaims: 1") + &set));
    let counts: Vec<_> = caused.iter().filter_map(|outcome| outcome.cause.as_ref()).collect();
    assert_eq!(
        counts.iter().map(|cause| (cause.admitted, cause.replicas)).collect::<Vec<_>>(),
        [(1, 1), (1, 3), (1, 3)]
    );
}

#[test]
fn a_daemon_set_makes_a_pod_for_every_node_that_it_fits() {
    let node = |name: &str, more: &str| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: {name}, labels: {{disk: ssd}}}}, spec: {{{more}}}}}\n---\n"
        )
    };
    let nodes = node("a", "")
        + &node("b", "taints: [{key: gpu, effect: NoSchedule}]")
        + &node("c", "taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]")
        + &node("d", "taints: [{key: gpu, effect: PreferNoSchedule}]").replace("ssd", "hdd");
    let set = |more: &str| {
        let spec = format!("{}}}}}", template("agent").strip_suffix("}}").expect("the end of the template"));
        workload(
            "DaemonSet",
            "agent",
            &spec.replace("spec: {containers", &format!("spec: {{{more}containers")),
        )
    };
    let caused = Server::new(&nodes).follow(&set("nodeSelector: {disk: ssd}, "));
    assert_eq!(told(&caused)[1], "2/2 Pod agent-");
    let pod = received(&caused[1]);
    assert_eq!(
        pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"],
        json!({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["c"]}]}]})
    );
    assert_eq!(pod["spec"]["tolerations"].as_array().map(Vec::len), Some(6));
    assert_eq!(pod["metadata"]["labels"]["pod-template-generation"], "1");

    let outcome = Server::new("").run(&set("")).pop().expect("a document");
    assert_eq!(told(&outcome.caused)[1], "1/1 Pod agent-");
    assert!(
        outcome.trace.notes.iter().any(|note| {
            note == "assumed one Node that every DaemonSet fits (none is among the cluster objects)"
        }),
        "{:?}",
        outcome.trace.notes
    );
}

#[test]
fn a_daemon_set_with_a_surge_creates_pods_before_it_removes_older_ones() {
    let nodes: String = ["a", "b"]
        .map(|name| format!("{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}}}\n---\n"))
        .concat();
    let set = |image: &str| {
        let strategy = "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}";
        workload("DaemonSet", "agent", &format!("{strategy}, {}", template(image)))
    };
    let pods = |hard: &str| {
        let mut server = Server::new(&nodes);
        told(&server.follow(&(quota(hard) + &set("nginx:1") + &set("nginx:2")))).pop()
    };
    let refusal = "exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2";
    assert_eq!(pods("pods: 2"), Some(format!("0/2 Pod agent-: pods agent- is forbidden: {refusal}")));
    assert_eq!(pods("pods: 3"), Some("2/2 Pod agent-".to_owned()));
}

#[test]
fn a_job_makes_the_pods_that_run_at_the_same_time() {
    let pod = "template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}";
    let mut server = Server::new("");
    let caused = server.follow(&workload("Job", "many", &format!("completions: 5, parallelism: 8, {pod}")));
    assert_eq!(told(&caused), ["5/5 Pod many-"]);
    assert_eq!(received(&caused[0])["metadata"]["finalizers"], json!(["batch.kubernetes.io/job-tracking"]));
    let indexed = format!("completions: 5, parallelism: 2, completionMode: Indexed, {pod}");
    let caused = server.follow(&workload("Job", "each", &indexed));
    assert_eq!(told(&caused), ["2/2 Pod each-0-"]);
    let pod = received(&caused[0]);
    assert_eq!(pod["spec"]["hostname"], "each-0");
    assert_eq!(pod["metadata"]["annotations"], json!({"batch.kubernetes.io/job-completion-index": "0"}));
    assert_eq!(
        pod["spec"]["containers"][0]["env"],
        json!([{"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {
            "apiVersion": "v1", "fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']",
        }}}])
    );
}

#[test]
fn a_pod_gets_the_claims_of_its_ephemeral_volumes() {
    let volume = "{name: scratch, ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {accessModes: \
                  [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}";
    let spec =
        template("nginx").replace("spec: {containers", &format!("spec: {{volumes: [{volume}], containers"));
    let caused = Server::new("").follow(&workload("ReplicaSet", "web", &format!("replicas: 4, {spec}")));
    let name = caused[0].name.clone();
    assert_eq!(
        told(&caused),
        ["4/4 Pod web-".to_owned(), format!("4/4 PersistentVolumeClaim {name}-scratch")]
    );
    assert_eq!(caused[1].user_info.username, "system:serviceaccount:kube-system:ephemeral-volume-controller");
}

#[test]
fn a_new_pod_gets_the_claims_of_its_devices() {
    let template = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: gpu}, spec: {spec: \
                    {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}}}\n---\n";
    let pod = |labels: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: web, labels: {{{labels}}}}}, spec: {{resourceClaims: \
             [{{name: card, resourceClaimTemplateName: gpu}}], containers: [{{name: a, image: a}}]}}}}\n---\n"
        )
    };
    let mut server = Server::new("");
    assert_eq!(told(&server.follow(&(template.to_owned() + &pod("")))), ["1/1 ResourceClaim web-card-"]);
    assert_eq!(told(&server.follow(&pod("a: b"))), [""; 0]);
}

#[test]
fn absurd_numbers_are_counted_and_not_made() {
    let mut server = Server::new("");
    let caused = server.follow(&(quota("pods: 2000000000") + &deployment(2_147_483_647, "nginx")));
    assert_eq!(caused[1].cause.as_ref().map(|cause| cause.admitted), Some(2_000_000_000));
    let outcome = server
        .run(&workload(
            "StatefulSet",
            "db",
            &format!("replicas: 2000000, serviceName: db, {}", template("db")),
        ))
        .pop()
        .expect("a document");
    assert!(
        outcome
            .trace
            .notes
            .contains(&"evaluated the first 1000 of 2000000 replicas of StatefulSet shop/db".to_owned()),
        "{:?}",
        outcome.trace.notes
    );
}

#[test]
fn a_deleted_workload_takes_its_pods_with_it() {
    let mut server = Server::new("");
    server.run(&(quota("pods: 3") + &deployment(3, "nginx")));
    let review = json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "operation": "DELETE", "namespace": "shop", "name": "web",
            "resource": {"group": "apps", "version": "v1", "resource": "deployments"},
            "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
        },
    });
    server.run(&review.to_string());
    let caused =
        server.follow(&workload("Deployment", "next", &format!("replicas: 3, {}", template("nginx"))));
    assert!(caused.iter().all(Outcome::allowed), "{:?}", told(&caused));
}

#[test]
fn scaling_asks_for_the_difference() {
    let mut server = Server::new("");
    server.run(&deployment(2, "nginx"));
    let review = json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "operation": "UPDATE", "namespace": "shop", "name": "web", "subResource": "scale",
            "resource": {"group": "apps", "version": "v1", "resource": "deployments"},
            "kind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
            "object": {
                "apiVersion": "autoscaling/v1", "kind": "Scale",
                "metadata": {"name": "web", "namespace": "shop"}, "spec": {"replicas": 6},
            },
        },
    });
    let caused = server.follow(&review.to_string());
    let counts: Vec<_> =
        told(&caused).iter().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect();
    assert_eq!(counts, ["1/1", "4/4"]);
}

#[test]
fn an_orphan_that_comes_late_is_adopted() {
    let mut server = Server::new("");
    server.run(&quota("pods: 5"));
    let pod = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, labels: {{app: web}}}}, \
             spec: {{containers: [{{name: web, image: nginx}}]}}}}"
        )
    };
    server.run(&workload("ReplicaSet", "web", &format!("replicas: 2, {}", template("nginx"))));
    let outcome = server.run(&pod("late")).pop().expect("an outcome");
    let note = "ReplicaSet shop/web adopts it and removes it, since it has as many Pods as it wants";
    assert!(outcome.trace.notes.iter().any(|own| own == note), "{:?}", outcome.trace.notes);
    let quotas = server.evaluator.quotas();
    assert_eq!(quotas[0].resources["pods"].after, "2");
}

#[test]
fn what_is_left_of_a_quota_is_known_by_whom() {
    let mut server = Server::new("");
    server.run(&quota("pods: 3, services: 1"));
    server.run(&deployment(2, "nginx"));
    server.run("{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}");
    let mut more = server.run(&deployment(4, "nginx"));
    server.evaluator.finish(|outcome| more.push(outcome));
    let quotas = server.evaluator.quotas();
    let [quota] = &quotas[..] else { panic!("{quotas:?}") };
    let amounts = |name: &str| {
        let amounts = &quota.resources[name];
        [&amounts.hard, &amounts.before, &amounts.after].map(String::as_str)
    };
    assert_eq!((quota.namespace.as_str(), quota.name.as_str()), ("shop", "team"));
    assert_eq!((amounts("pods"), amounts("services")), (["3", "0", "3"], ["1", "0", "1"]));
    let by: Vec<_> = quota.by.iter().map(|user| format!("{} {:?}", user.kind.kind, user.used)).collect();
    assert_eq!(by, ["Deployment {\"pods\": \"3\"}", "Service {\"services\": \"1\"}"]);
}
