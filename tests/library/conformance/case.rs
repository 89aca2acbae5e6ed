//! A recorded case, read and run.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use kadmit::admission::{Operation, UserInfo};
use kadmit::cluster::{Cluster, Fixture};
use kadmit::configuration::{Configuration, Flags};
use kadmit::evaluation::{Evaluator, Prepared, Request};
use kube_api::decode::FieldValidation;
use kube_api::{GroupVersionResource, Name, Object, Value};

use gotext::source::{Data, Node, SourceFile};
use kadmit::plugin;
use kadmit::webhook::{Client, Webhooks};

use super::compare::compare;
use super::script::Script;
#[cfg(feature = "call")]
use super::server::Server;

/// One file of recorded requests and answers.
pub(crate) struct Case {
    path: PathBuf,
    root: Node,
    /// The server of the case's webhooks, if they are called for real.
    #[cfg(feature = "call")]
    server: Option<Server>,
}

impl Case {
    /// Returns every case below `root`, ordered by path.
    pub(crate) fn paths(root: &Path) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for folder in fs::read_dir(root).expect("the cases are there") {
            let folder = folder.expect("a readable entry").path();
            if folder.is_dir() {
                let files = fs::read_dir(folder).expect("a readable folder");
                paths.extend(files.map(|file| file.expect("a readable entry").path()));
            }
        }
        paths.sort();
        paths
    }

    /// Reads the case at `path`.
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("a readable case");
        Self::of(path, text.replace("$CA_BUNDLE", "Q0E="))
    }

    /// Reads the case at `path` with a server for its webhooks, if it has any.
    #[cfg(feature = "call")]
    pub(crate) fn served(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).expect("a readable case");
        if !text.contains("\nwebhooks:") {
            return None;
        }
        let server = Server::start();
        let case = Self::of(path, server.named_in(&text));
        Some(Self { server: Some(server), ..case })
    }

    fn of(path: &Path, text: String) -> Self {
        let source = SourceFile::new(path.display().to_string(), text);
        let mut documents = kube_yaml::read(&source);
        let root = documents.next().expect("a document").expect("a case is valid YAML").node;
        Self {
            path: path.to_owned(),
            root,
            #[cfg(feature = "call")]
            server: None,
        }
    }

    /// Returns the client by which webhooks answer according to `script`.
    #[cfg_attr(not(feature = "call"), expect(clippy::unused_self, reason = "no server is asked"))]
    fn client(&self, script: &Arc<Script>) -> Arc<dyn Client> {
        #[cfg(feature = "call")]
        if let Some(server) = &self.server {
            server.answer_with(script.clone());
            return Arc::new(kadmit::webhook::Https::default());
        }
        script.clone()
    }

    fn authority(&self) -> &str {
        #[cfg(feature = "call")]
        if self.server.is_some() {
            return Server::authority();
        }
        "CA"
    }

    /// Evaluates the requests; returns the first difference, if there is one.
    pub(crate) fn run(&self) -> Result<(), String> {
        let directory = self.write_files();
        let result = self.evaluate(directory.as_deref());
        if let Some(directory) = directory {
            fs::remove_dir_all(directory).expect("a folder that was made here");
        }
        result
    }

    fn evaluate(&self, directory: Option<&Path>) -> Result<(), String> {
        let expects = self.expects();
        let script = Arc::new(Script::new(
            &self.root.get("webhooks").map(|webhooks| webhooks.clone().into_value()).unwrap_or_default(),
        ));
        let flags = self
            .flags(directory)
            .map(|flags| Flags { webhooks: Webhooks::Ask(self.client(&script)), ..flags });
        let (mut evaluator, cluster) = match flags.and_then(|flags| self.evaluator(&flags)) {
            Ok(evaluator) => evaluator,
            Err(message) => {
                let expected = self.start_error().unwrap_or("no error at the start");
                let message = match directory {
                    Some(directory) => message.replace(&directory.display().to_string(), "$DIR"),
                    None => message,
                };
                return super::compare::same_text("serverStartError", expected, &message);
            }
        };
        if let Some(error) = self.start_error() {
            return Err(format!("expected the server not to start: {error}"));
        }
        let mut writes = gotext::value::json!([]);
        for (request, expect) in self.requests(&cluster).into_iter().zip(&expects) {
            let prepared = Prepared::new(request, evaluator.profile());
            let outcome = evaluator.evaluate(prepared).map_err(|error| error.to_string())?;
            compare(&outcome, expect)?;
            if self.is_in_process() {
                super::compare::requests(&outcome, expect, &writes)?;
                writes = expect.get("writes").cloned().unwrap_or_default();
            }
            let calls = script.take_calls(self.root.get("sortWebhookCalls").is_some());
            let recorded = expect.get("webhookCalls").cloned().unwrap_or_else(|| gotext::value::json!([]));
            super::compare::same("webhookCalls", &recorded, &calls)?;
        }
        Ok(())
    }

    fn evaluator(&self, flags: &Flags) -> Result<(Evaluator, Arc<Cluster>), String> {
        let profile = Arc::new(flags.profile().map_err(|error| error.message)?);
        let cluster = Arc::new(Cluster::of(flags.distribution, plugin::looks_up));
        let answers = self.answers();
        for node in self.cluster().chain(&answers) {
            let mut fixture = Fixture::read(node.clone(), "default", &cluster, &profile)
                .map_err(|error| format!("cluster object: {error}"))?;
            if fixture.resource.resource == "certificatesigningrequests" {
                say_who_asked(Arc::make_mut(&mut fixture.object));
            }
            cluster.put(&fixture.resource, fixture.object);
        }
        let configuration =
            Configuration::new(flags, profile.clone(), cluster.clone()).map_err(|error| error.message)?;
        let evaluator = Evaluator::new(cluster.clone(), configuration.chain, profile, true);
        let evaluator = evaluator
            .authorized_by(configuration.authorizer)
            .authorizing_requests(flags.sets_authorization() && !self.is_in_process())
            .serving(flags.runtime_config())
            .with_openshift(configuration.openshift);
        Ok((evaluator, cluster))
    }

    /// Returns the flags of the server; an error is the server's, which it prints before anything else.
    fn flags(&self, directory: Option<&Path>) -> Result<Flags, String> {
        let directory = directory.map(|path| path.display().to_string()).unwrap_or_default();
        let config = self.at(&["server", "config"]).and_then(Node::as_str);
        let config =
            config.map(|file| ("--admission-control-config-file".to_owned(), format!("$DIR/{file}")));
        let plugins = [
            ("only", "--admission-control"),
            ("enable", "--enable-admission-plugins"),
            ("disable", "--disable-admission-plugins"),
        ];
        let plugins = plugins.map(|(list, flag)| (flag.to_owned(), self.texts(&["server", list]).join(",")));
        let flags = self.texts(&["server", "flags"]);
        let flags = flags.iter().map(|flag| flag.split_once('=').expect("a flag with a value"));
        let flags = flags.map(|(flag, value)| (flag.to_owned(), value.to_owned()));
        let mut read = crate::recorded_server();
        let own = self.openshift_flags().into_iter().chain(self.release_flags());
        for (flag, value) in own.chain(plugins).chain(config).chain(flags) {
            let known = read.set(&flag, &value.replace("$DIR", &directory));
            // Errors from parsing the flags have this prefix; those of the server itself do not.
            let known = known.map_err(|error| format!("Error: {}", error.message))?;
            assert!(known, "{}: unknown flag {flag}", self.path.display());
        }
        Ok(read)
    }

    /// Returns the files of OpenShift's servers: the key of the case, the flag, and the head of the file.
    fn openshift_files(&self) -> Vec<(&'static str, Value)> {
        const FILES: [(&str, &str); 3] = [
            ("openshift", "--openshift-config"),
            ("openshiftApiserver", "--openshift-apiserver-config"),
            ("masterConfig", "--master-config"),
        ];
        let given = |key| self.at(&["server", key]).map(|node| node.clone().into_value());
        // If the image stream's strategy ran, the recorder's server was configured with the integrated registry.
        let registry = self.at(&["server", "strategy"]).map(|_| match given("origin") {
            Some(_) => ("masterConfig", "172.30.1.1:5000"),
            None => ("openshiftApiserver", "image-registry.openshift-image-registry.svc:5000"),
        });
        FILES
            .into_iter()
            .filter_map(|(key, flag)| {
                let registry = registry.filter(|(of, _)| *of == key).map(|(_, host)| host);
                let content = given(key).or(registry.map(|_| gotext::value::json!({})))?;
                let mut content = if content.is_object() { content } else { gotext::value::json!({}) };
                if let Some(host) = registry {
                    content["imagePolicyConfig"] = gotext::value::json!({"internalRegistryHostname": host});
                }
                Some((flag, content))
            })
            .collect()
    }

    /// Whether the recorder called the code of the server itself, and recorded the plugins' writes and access reviews.
    fn is_in_process(&self) -> bool {
        ["openshiftApiserver", "origin"].iter().any(|key| self.at(&["server", key]).is_some())
    }

    /// Returns the release of the server, and the flags that only older ones have.
    fn release_flags(&self) -> Vec<(String, String)> {
        const KEYS: [(&str, &str); 2] =
            [("kubernetesVersion", "--kubernetes-version"), ("namespaceOnly", "--ir-namespace-only")];
        let given = KEYS.into_iter().filter_map(|(key, flag)| {
            let value = self.at(&["server", key])?.clone().into_value();
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            Some((flag.to_owned(), value))
        });
        given.collect()
    }

    fn openshift_flags(&self) -> Vec<(String, String)> {
        let origin = self.at(&["server", "origin"]).and_then(Node::as_str);
        let files = self.openshift_files();
        let distribution = match origin {
            Some(release) => format!("origin={release}"),
            None if files.is_empty() => return Vec::new(),
            None => "openshift".to_owned(),
        };
        let named = files.iter().map(|(flag, _)| ((*flag).to_owned(), format!("$DIR/{flag}.yaml")));
        std::iter::once(("--distribution".to_owned(), distribution)).chain(named).collect()
    }

    fn write_files(&self) -> Option<PathBuf> {
        let openshift = self.openshift_files();
        let files = match self.at(&["server", "files"]).map(|files| &files.data) {
            Some(Data::Object(files)) => files.as_slice(),
            _ if self.texts(&["server", "flags"]).iter().any(|flag| flag.contains("$DIR")) => &[],
            _ if !openshift.is_empty() => &[],
            _ => return None,
        };
        // Cases of different plugins have the same name, and run at the same time.
        let [name, plugin] = [self.path.file_stem(), self.path.parent().and_then(Path::file_name)]
            .map(|part| part.expect("a case is a file in the folder of its plugin").to_string_lossy());
        let directory = env::temp_dir().join(format!("kadmit-{}-{plugin}-{name}", std::process::id()));
        fs::create_dir_all(&directory).expect("a folder for the files of the case");
        for (flag, content) in openshift {
            fs::write(directory.join(format!("{flag}.yaml")), content.to_string())
                .expect("a file of the case");
        }
        for file in files {
            let text = file.value.as_str().expect("a file is text");
            let text = text.replace("$DIR", &directory.display().to_string());
            let text = text.replace("$CA_FILE", &directory.join("ca.pem").display().to_string());
            fs::write(directory.join("ca.pem"), self.authority()).expect("a file of certificates");
            let path = directory.join(&file.key);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the file");
            fs::write(path, text).expect("a file of the case");
        }
        Some(directory)
    }

    fn cluster(&self) -> impl Iterator<Item = &Node> {
        ["cluster", "rawCluster"].into_iter().flat_map(|list| self.nodes(list))
    }

    /// Returns the answers from outside of the cluster, as objects of the cluster.
    fn answers(&self) -> Vec<Node> {
        const KINDS: [(&str, &str, &str); 2] =
            [("cloudLabels", "CloudVolumeLabels", "volumes"), ("usageSamples", "UsageSamples", "samples")];
        let given = KINDS.into_iter().filter_map(|(key, kind, field)| {
            let content = self.at(&["server", key])?.clone().into_value();
            let mut answer = gotext::value::json!({"apiVersion": "kadmit.dev/v1alpha1", "kind": kind});
            answer[field] = content;
            Some(Node::from(answer))
        });
        given.collect()
    }

    fn requests(&self, cluster: &Cluster) -> Vec<Request> {
        let several = self.nodes("requests");
        let one = self.root.get("request");
        let read = |node: &Node| {
            let mut request = request(node);
            // Recorded in process, without the server's check for unknown fields.
            if self.is_in_process() {
                request.field_validation = FieldValidation::Ignore;
            }
            if matches!(node.get("complete").map(|node| &node.data), Some(Data::Bool(true))) {
                complete(&mut request, cluster);
            }
            request
        };
        several.iter().chain(one).map(read).collect()
    }

    fn expects(&self) -> Vec<Value> {
        let expect = self.root.get("expect").expect("an expectation").clone().into_value();
        match expect {
            Value::Array(expects) => expects.into(),
            one => vec![one],
        }
    }

    /// Returns the error with which the server failed to start.
    fn start_error(&self) -> Option<&str> {
        self.at(&["expect", "serverStartError"]).and_then(Node::as_str)
    }

    fn nodes(&self, list: &str) -> &[Node] {
        match self.root.get(list).map(|node| &node.data) {
            Some(Data::Array(nodes)) => nodes,
            _ => &[],
        }
    }

    fn at(&self, fields: &[&str]) -> Option<&Node> {
        fields.iter().try_fold(&self.root, |node, field| node.get(field))
    }

    fn texts(&self, fields: &[&str]) -> Vec<String> {
        match self.at(fields).map(|node| &node.data) {
            Some(Data::Array(nodes)) => nodes.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }
}

/// Completes the body from the stored object, as a client that reads it first does.
fn complete(request: &mut Request, cluster: &Cluster) {
    let resource = request.resource.as_ref().expect("a resource").group_resource();
    let namespace = request.namespace.as_deref().unwrap_or_default();
    let stored = cluster.get(&resource, namespace, request.name.as_deref().unwrap_or_default());
    let (Some(stored), Some(body)) = (stored, request.object.take()) else { return };
    let mut body = body.into_value();
    if let (Some(body), Some(stored)) = (body.as_object_mut(), stored.value.as_object()) {
        for (field, value) in stored {
            body.entry(field.clone()).or_insert_with(|| value.clone());
        }
        let place = stored.get("metadata").and_then(|metadata| metadata.get("namespace")).cloned();
        if let (Some(place), Some(Value::Object(metadata))) = (place, body.get_mut("metadata")) {
            metadata.entry("namespace").or_insert(place);
        }
    }
    request.object = Some(Node::from(body));
}

/// Sets the requester of a certificate signing request, which the server records: here the recorder.
fn say_who_asked(request: &mut Object) {
    request.set(["spec", "username"], "admin");
    request.set(["spec", "uid"], "admin");
    request.set(["spec", "groups"], vec!["system:masters", "system:authenticated"]);
}

fn request(node: &Node) -> Request {
    let text = |field| node.get(field).and_then(Node::as_str);
    let resource = node.get("resource").expect("a resource");
    let part = |field| resource.get(field).and_then(Node::as_str).unwrap_or_default().to_owned();
    let operation = Operation::ALL.iter().find(|operation| text("operation") == Some(operation.as_str()));
    let object = node.get("object").cloned().or_else(|| {
        let connects = text("operation") == Some("CONNECT");
        connects.then(|| options(node.get("query")))
    });
    let directive = text("fieldValidation");
    let user =
        node.get("user").map(|user| gotext::value::from_value(&user.clone().into_value()).expect("a user"));
    Request {
        place: None,
        operation: Some(*operation.expect("an operation")),
        apply: None,
        resource: Some(GroupVersionResource::new(part("group"), part("version"), part("resource"))),
        kind: None,
        sub_resource: Name::Owned(part("subresource")),
        namespace: Some(text("namespace").unwrap_or_default().to_owned()),
        name: text("name").map(str::to_owned),
        object,
        old_object: None,
        options: node
            .get("options")
            .map(|options| options.clone().into_value())
            .or_else(|| directive.map(|directive| gotext::value::json!({"fieldValidation": directive})))
            .or_else(|| timeout(node).map(|timeout| gotext::value::json!({"timeout": timeout}))),
        dry_run: !matches!(node.get("dryRun").map(|node| &node.data), Some(Data::Bool(false))),
        user_info: Arc::new(user.unwrap_or_else(|| UserInfo {
            username: "alice".to_owned(),
            groups: vec!["system:authenticated".to_owned()],
            ..UserInfo::default()
        })),
        field_validation: directive
            .map_or(FieldValidation::Warn, |text| FieldValidation::parse(text).unwrap_or_default()),
        strict_errors: Vec::new(),
    }
}

/// Returns the time that the query of a CREATE waits for controllers.
fn timeout(node: &Node) -> Option<&str> {
    let Data::Array(pairs) = &node.get("query")?.data else { return None };
    pairs.iter().filter_map(Node::as_str).find_map(|pair| pair.strip_prefix("timeout="))
}

/// Returns the options object that the query of a CONNECT represents.
fn options(query: Option<&Node>) -> Node {
    let pairs = match query.map(|query| &query.data) {
        Some(Data::Array(pairs)) => pairs.as_slice(),
        _ => &[],
    };
    let mut map = kube_api::Map::new();
    for pair in pairs.iter().filter_map(Node::as_str) {
        let (key, value) = pair.split_once('=').expect("key=value");
        match key {
            "command" => kube_api::append(&mut map, key, value),
            "ports" => kube_api::append(&mut map, key, value.parse::<i64>().expect("a port")),
            "path" | "container" => drop(map.insert(key.to_owned(), value.into())),
            _ => drop(map.insert(key.to_owned(), (value == "true").into())),
        }
    }
    Node::from(Value::Object(map))
}
