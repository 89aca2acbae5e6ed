//! The tools: what each is called with, and the command line that it becomes.

use std::sync::Arc;

use rmcp::model::ToolAnnotations;
use serde_json::{Value, json};

use crate::configuration::Flags;

pub(super) static TOOLS: &[Tool] = &[
    Tool {
        name: "evaluate",
        command: "run",
        about: "Reports what a kube-apiserver does with manifests: which plugin refuses or changes what, and at which line.",
        arguments: &[MANIFESTS, PATHS, CLUSTER, FLAGS, OUTPUT],
    },
    Tool {
        name: "explain",
        command: "explain",
        about: "Explains an admission plugin, such as LimitRanger, or the code of an error, such as kadmit::manifest::yaml.",
        arguments: &[NAME],
    },
    Tool {
        name: "compare",
        command: "compare",
        about: "Reports what a change of the server would newly refuse, change and warn about in manifests.",
        arguments: &[MANIFESTS, PATHS, CLUSTER, FLAGS, AFTER, OUTPUT],
    },
    Tool {
        name: "fix",
        command: "fix",
        about: "Returns the smallest edits after which manifests are admitted, as a diff. No file is changed.",
        arguments: &[MANIFESTS, PATHS, CLUSTER, FLAGS, OUTPUT],
    },
];

/// A tool, and the command that it runs.
pub(super) struct Tool {
    pub(super) name: &'static str,
    command: &'static str,
    about: &'static str,
    arguments: &'static [Argument],
}

/// A command line and its standard input.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) words: Vec<String>,
    pub(super) input: String,
}

/// An argument of tools.
struct Argument {
    name: &'static str,
    about: &'static str,
    place: ArgumentPlace,
}

/// Where an argument is in the command line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentPlace {
    /// The text of standard input, which `-` names.
    Input,
    /// A list of arguments without a flag.
    Positions,
    /// The argument without a flag, which must be there.
    Position,
    /// The values of this flag.
    Each(&'static str),
    /// One of these values of `--output`.
    Output(&'static [&'static str]),
    /// Flags that describe the server and the request.
    Flags,
}

const MANIFESTS: Argument = Argument {
    name: "manifests",
    about: "The text of the manifests, in YAML or JSON.",
    place: ArgumentPlace::Input,
};
const PATHS: Argument = Argument {
    name: "paths",
    about: "Files, directories and patterns with manifests.",
    place: ArgumentPlace::Positions,
};
const CLUSTER: Argument = Argument {
    name: "cluster",
    about: "Files and directories with the objects that exist, such as Namespaces and quotas.",
    place: ArgumentPlace::Each("--cluster"),
};
const FLAGS: Argument = Argument {
    name: "flags",
    about: "Flags about the server and the request, each as --name=value: those of kube-apiserver about admission, \
            --kubernetes-version=1.30, --distribution=openshift, --enforce=restricted, --namespace=shop, --as=alice.",
    place: ArgumentPlace::Flags,
};
const AFTER: Argument = Argument {
    name: "after",
    about: "The change: flags of kube-apiserver, such as --kubernetes-version=1.36, or a configuration file.",
    place: ArgumentPlace::Each("--after"),
};
const OUTPUT: Argument = Argument {
    name: "output",
    about: "The format: text, the default, is short; json has everything.",
    place: ArgumentPlace::Output(&["text", "json"]),
};
const NAME: Argument =
    Argument { name: "name", about: "The name of a plugin or a code.", place: ArgumentPlace::Position };

/// Flags of requests that neither write nor call anything.
const OF_REQUESTS: &[&str] =
    &["--apply", "--as", "--as-group", "--kube-apiserver", "--namespace", "--policy", "--strict"];

impl Tool {
    /// Returns the tool as clients list it.
    pub(super) fn described(&self) -> rmcp::model::Tool {
        let properties: serde_json::Map<String, Value> =
            self.arguments.iter().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
        let required: Vec<&str> = self
            .arguments
            .iter()
            .filter(|it| it.place == ArgumentPlace::Position)
            .map(|it| it.name)
            .collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        let Value::Object(schema) = schema else { unreachable!("it is an object") };
        rmcp::model::Tool::new(self.name, self.about, Arc::new(schema))
            .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
    }

    /// Returns the command line for `arguments`, or what is wrong with them.
    pub(super) fn call(&self, arguments: &Value) -> Result<Call, String> {
        let given = arguments.as_object().into_iter().flatten();
        for (name, _) in given {
            if !self.arguments.iter().any(|argument| argument.name == name) {
                return Err(format!("{} has no argument \"{name}\"", self.name));
            }
        }
        let mut words = vec!["--color=never".to_owned(), self.command.to_owned()];
        if self.command != "explain" {
            words.push("--no-settings".to_owned());
        }
        let mut positions = Vec::new();
        let mut input = String::new();
        for argument in self.arguments {
            let value = arguments.get(argument.name).filter(|value| !value.is_null());
            match argument.place {
                ArgumentPlace::Input => {
                    let Some(value) = value else { continue };
                    argument.text(value)?.clone_into(&mut input);
                    positions.push("-".to_owned());
                }
                ArgumentPlace::Positions => positions.extend(argument.texts(value)?.map(str::to_owned)),
                ArgumentPlace::Position => {
                    positions.push(argument.text(value.unwrap_or_default())?.to_owned())
                }
                ArgumentPlace::Each(flag) => {
                    words.extend(argument.texts(value)?.map(|text| format!("{flag}={text}")));
                }
                ArgumentPlace::Output(formats) => {
                    let Some(value) = value else { continue };
                    let format = argument.text(value)?;
                    if !formats.contains(&format) {
                        return Err(format!(
                            "output is one of {}, and not \"{format}\"",
                            formats.join(" and ")
                        ));
                    }
                    words.push(format!("--output={format}"));
                }
                ArgumentPlace::Flags => {
                    for flag in argument.texts(value)? {
                        words.push(permitted(flag)?.to_owned());
                    }
                }
            }
        }
        words.push("--".to_owned());
        words.extend(positions);
        Ok(Call { words, input })
    }
}

impl Argument {
    fn schema(&self) -> Value {
        match self.place {
            ArgumentPlace::Input | ArgumentPlace::Position => {
                json!({"type": "string", "description": self.about})
            }
            ArgumentPlace::Output(formats) => {
                json!({"type": "string", "enum": formats, "description": self.about})
            }
            ArgumentPlace::Positions | ArgumentPlace::Each(_) | ArgumentPlace::Flags => {
                json!({"type": "array", "items": {"type": "string"}, "description": self.about})
            }
        }
    }

    fn text<'a>(&self, value: &'a Value) -> Result<&'a str, String> {
        value.as_str().ok_or_else(|| format!("{} must be a text", self.name))
    }

    fn texts<'a>(&self, value: Option<&'a Value>) -> Result<impl Iterator<Item = &'a str> + use<'a>, String> {
        let list = match value {
            None => &[][..],
            Some(value) => {
                value.as_array().ok_or_else(|| format!("{} must be a list of texts", self.name))?
            }
        };
        let texts: Result<Vec<&str>, String> = list.iter().map(|item| self.text(item)).collect();
        Ok(texts?.into_iter())
    }
}

/// Returns `flag` if it can neither write a file nor open a connection.
fn permitted(flag: &str) -> Result<&str, String> {
    let (name, value) = flag.split_once('=').unwrap_or((flag, ""));
    let is_of_server = !matches!(Flags::default().set(name, value), Ok(false));
    if is_of_server || OF_REQUESTS.contains(&name) {
        return Ok(flag);
    }
    Err(format!(
        "\"{flag}\" is not permitted: flags are those of kube-apiserver about admission, and {}, each as --name=value",
        OF_REQUESTS.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str) -> &'static Tool {
        TOOLS.iter().find(|tool| tool.name == name).expect("a tool")
    }

    #[test]
    fn arguments_become_a_command_line() {
        let arguments = json!({
            "manifests": "kind: Pod",
            "paths": ["--write"],
            "cluster": ["cluster"],
            "flags": ["--enforce=restricted", "--as=alice"],
            "output": "json",
        });
        let call = tool("evaluate").call(&arguments).unwrap();
        let line = "--color=never run --no-settings --cluster=cluster --enforce=restricted --as=alice --output=json -- - --write";
        assert_eq!(call.words.join(" "), line);
        assert_eq!(call.input, "kind: Pod");
    }

    #[test]
    fn what_writes_or_connects_is_no_flag() {
        for flag in [
            "--write",
            "--webhooks=call",
            "--webhook-record=.",
            "--update-baseline",
            "--baseline=b.json",
            "--settings=kadmit.toml",
            "--output=html=page.html",
            "-ohtml=page.html",
            "--cache=.",
            "--show-secrets",
            "--watch",
            "manifests",
            "",
        ] {
            let refused = tool("evaluate").call(&json!({"flags": [flag]})).unwrap_err();
            assert!(refused.contains("is not permitted"), "{flag}: {refused}");
        }
    }

    #[test]
    fn refuses_wrong_arguments() {
        let refused = |name: &str, arguments: Value| tool(name).call(&arguments).unwrap_err();
        assert_eq!(refused("explain", json!({})), "name must be a text");
        assert_eq!(refused("fix", json!({"write": true})), "fix has no argument \"write\"");
        assert_eq!(refused("fix", json!({"paths": "a.yaml"})), "paths must be a list of texts");
        assert_eq!(
            refused("fix", json!({"output": "html=page.html"})),
            "output is one of text and json, and not \"html=page.html\""
        );
    }
}
