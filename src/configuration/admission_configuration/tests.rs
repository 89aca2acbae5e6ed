use std::env;
use std::fs;

use super::*;
use crate::plugin::ALL_ORDERED_PLUGINS;

/// A directory with an `admission.yaml`, removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, admission: &str) -> Self {
        let path = env::temp_dir().join(format!("kadmit-configuration-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("admission.yaml"), admission).unwrap();
        Self(path)
    }

    fn with(self, name: &str, text: &str) -> Self {
        fs::write(self.0.join(name), text).unwrap();
        self
    }

    fn read(&self) -> Result<AdmissionConfiguration, ConfigurationError> {
        let plugins: Vec<_> = ALL_ORDERED_PLUGINS.iter().collect();
        AdmissionConfiguration::read(
            &self.0.join("admission.yaml"),
            &plugins,
            Version::BINARY,
            &ServerFiles::default(),
        )
    }

    /// Returns the configuration text for `plugin`.
    fn text(&self, plugin: &str) -> Option<String> {
        let configuration = self.read().unwrap().configuration_for(plugin).unwrap();
        configuration.map(|configuration| configuration.text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Leftovers in the directory for temporary files are harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}

const HEADER: &str = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";

fn refusal(name: &str, text: &str) -> ConfigurationError {
    Folder::new(name, text).read().unwrap_err()
}

/// Returns the error without its common prefix.
fn error(name: &str, text: &str) -> String {
    let message = refusal(name, text).message;
    message.strip_prefix("failed to apply admission: failed to read plugin config: ").unwrap().to_owned()
}

#[test]
fn inline_configuration_is_json_with_sorted_keys_and_wins_over_the_path() {
    let text = format!(
        "{HEADER}plugins:\n- name: A\n  path: nowhere.yaml\n  configuration: {{b: 1.0, a: <x>}}\n- name: A\n  configuration: 7\n"
    );
    let folder = Folder::new("inline", &text);
    assert_eq!(folder.text("A").unwrap(), "{\"a\":\"\\u003cx\\u003e\",\"b\":1}");
    assert_eq!(folder.text("a"), None);
}

#[test]
fn inline_configuration_of_json_stays_as_it_is_written() {
    let text = "{\"kind\":\"AdmissionConfiguration\",\"apiVersion\":\"apiserver.k8s.io/v1alpha1\",\
                \"plugins\":[{\"name\":\"A\",\"configuration\":{\"b\": 1.0, \"a\":\"<\"}}]}";
    assert_eq!(Folder::new("json", text).text("A").unwrap(), "{\"b\": 1.0, \"a\":\"<\"}");
}

#[test]
fn reads_the_files_that_entries_name() {
    let text = format!(
        "{HEADER}plugins:\n- name: A\n  path: ./a.yaml\n  configuration: null\n- name: B\n- path: nowhere.yaml\n- name: C\n  configuration: {{}}\n"
    );
    let folder = Folder::new("path", &text).with("a.yaml", "text: any\n");
    assert_eq!(folder.text("A").unwrap(), "text: any\n");
    assert_eq!(folder.text("B"), None);
    assert_eq!(folder.text("C").unwrap(), "{}");
}

#[test]
fn a_file_that_an_entry_names_must_be_there() {
    let folder = Folder::new("gone", &format!("{HEADER}plugins:\n- name: A\n  path: gone.yaml\n"));
    let error = folder.read().unwrap().configuration_for("A").unwrap_err();
    let gone = folder.0.join("gone.yaml");
    let gone = gone.display();
    assert_eq!(
        error.message,
        format!(
            "Couldn't open admission plugin configuration {gone}: &fs.PathError{{Op:\"open\", Path:\"{gone}\", Err:0x2}}"
        )
    );
    assert_eq!(error.file, Some(folder.0.join("admission.yaml").display().to_string()));
    assert_eq!(error.line(), Some(5));
    assert_eq!(
        error.help.unwrap(),
        "--kube-apiserver FILE --root DIR looks for absolute paths below DIR; a relative one starts from the directory \
         of the file that names it"
    );
}

#[test]
fn the_file_itself_must_be_there() {
    let folder = Folder::new("missing", "");
    let path = folder.0.join("nowhere.yaml");
    let error =
        AdmissionConfiguration::read(&path, &[], Version::BINARY, &ServerFiles::default()).unwrap_err();
    let path = path.display();
    assert_eq!(
        error.help.unwrap(),
        "this machine does not have it; --kube-apiserver FILE --root DIR looks below DIR for what the server's files \
         name"
    );
    assert_eq!(
        error.message,
        format!(
            "failed to apply admission: failed to read plugin config: unable to read admission control configuration from \
             \"{path}\" [open {path}: no such file or directory]"
        )
    );
}

#[test]
fn the_file_must_be_text() {
    let folder = Folder::new("bytes", "");
    let path = folder.0.join("admission.yaml");
    fs::write(&path, b"kind: \xff\n").unwrap();
    let error = folder.read().unwrap_err();
    assert_eq!(
        error.message,
        format!(
            "failed to apply admission: failed to read plugin config: {} is not UTF-8 text: line 1, byte 6 of the file",
            path.display()
        )
    );
}

#[test]
fn files_from_before_are_taken_for_the_plugins_that_had_them() {
    let text = "apiVersion: example.com/v1\nkind: Selectors\npodNodeSelectorPluginConfig: {}\n";
    let folder = Folder::new("legacy", text);
    assert_eq!(folder.text("PodNodeSelector").unwrap(), text);
    assert_eq!(folder.text("ImagePolicyWebhook").unwrap(), text);
    assert_eq!(folder.text("PodSecurity"), None);
    assert!(Folder::new("legacy-image", "imagePolicy: {}\n").read().is_ok());
    assert_eq!(
        error("legacy-other", "podNodeSelector: {}\n"),
        "Object 'Kind' is missing in 'podNodeSelector: {}\n'"
    );
    assert_eq!(
        error("legacy-known", &format!("{HEADER}imagePolicy: {{}}\n")),
        "strict decoding error: unknown field \"imagePolicy\""
    );
}

#[test]
fn refuses_other_kinds_and_versions() {
    let error = refusal("version", "apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration\n");
    assert_eq!(
        error.message,
        "failed to apply admission: failed to read plugin config: no kind \"AdmissionConfiguration\" is registered for \
         version \"apiserver.config.k8s.io/v2\" in scheme \"k8s.io/apiserver/pkg/server/options/admission.go:51\""
    );
    assert_eq!(
        error.help.unwrap(),
        "the file needs apiVersion: apiserver.config.k8s.io/v1 and kind: AdmissionConfiguration"
    );
    for kind in SCHEME.kinds.iter().filter(|kind| kind.internal != ADMISSION_CONFIGURATION) {
        let text = format!("apiVersion: {}\nkind: {}\n", kind.api_version, kind.kind);
        assert_eq!(self::error("kind", &text), format!("unexpected type: *{}", kind.internal));
    }
}

#[test]
fn refuses_what_has_no_place_in_it() {
    let error = refusal("unknown", &format!("{HEADER}metadata: {{}}\nplugins:\n- nam: A\n"));
    assert_eq!(
        error.message,
        "failed to apply admission: failed to read plugin config: strict decoding error: unknown field \"metadata\", \
         unknown field \"plugins[0].nam\""
    );
    assert_eq!(error.line(), Some(3));
    assert_eq!(
        error.help.unwrap(),
        "the file has one list, plugins, of entries with name, path and configuration"
    );
    assert_eq!(
        self::error("type", &format!("{HEADER}plugins:\n- name: 7\n")),
        "json: cannot unmarshal number into Go struct field AdmissionPluginConfiguration.plugins.name of type string"
    );
    assert_eq!(
        self::error("syntax", &format!("{HEADER}plugins:\n- name: A\n\tpath: a\n")),
        "yaml: line 5: found a tab character that violates indentation"
    );
}

#[test]
fn knows_where_the_configuration_of_a_plugin_stands() {
    let text = format!(
        "{HEADER}plugins:\n- name: A\n  configuration:\n    a: 1\n- name: B\n  path: b.yaml\n- name: C\n"
    );
    let folder = Folder::new("place", &text);
    let configuration = folder.read().unwrap();
    let place = |plugin| {
        let error = configuration.error_about(plugin, "wrong".to_owned());
        assert_eq!(error.message, "wrong");
        let line = error.line();
        (error.file.map(|file| file.replace(&folder.0.display().to_string(), "$DIR")), line)
    };
    assert_eq!(place("A"), (Some("$DIR/admission.yaml".to_owned()), Some(6)));
    assert_eq!(place("B"), (Some("$DIR/b.yaml".to_owned()), None));
    assert_eq!(place("C"), (None, None));
}
