//! The flags of kubectl, which set the user and the form of requests.

use std::sync::Arc;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

use crate::admission::{Operation, UserInfo};
use crate::evaluation::{Apply, ApplyOptions, RequestDefaults};
use crate::suite::Client;
use kube_api::decode::FieldValidation;
use kube_api::version::Version;

/// Flags that kubectl has with the same name.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Flags of kubectl")]
pub(super) struct ClientFlags {
    /// Use this namespace for documents without one [default: default]
    ///
    /// With --apply other namespaces are refused, as by kubectl.
    #[arg(short, long)]
    pub(super) namespace: Option<String>,

    /// Send manifests to the server in this way [default: client-side]
    #[arg(long, value_name = "HOW")]
    pub(super) apply: Option<Manner>,

    /// Take over fields of other managers, with --apply server-side
    #[arg(long)]
    pub(super) force_conflicts: bool,

    /// Apply as this field manager, with --apply server-side [default: kubectl]
    #[arg(long, value_name = "NAME")]
    pub(super) field_manager: Option<String>,

    #[command(flatten)]
    pub(super) user: UserFlags,

    /// Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its
    /// server: Warn, before 1.25 Ignore]
    #[arg(long, value_name = "MODE")]
    pub(super) field_validation: Option<Validation>,

    /// Evaluate every request alone: admitted objects do not exist for the others
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// The user who sends requests.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Flags of kubectl")]
#[expect(clippy::struct_field_names, reason = "they are called like the flags of kubectl")]
pub(super) struct UserFlags {
    /// Send the requests as this user
    #[arg(long = "as", value_name = "USER", default_value = "kubernetes-admin")]
    pub(super) as_user: String,

    /// Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]
    #[arg(long, value_name = "GROUP")]
    pub(super) as_group: Vec<String>,

    /// Send the requests as the user with this UID
    #[arg(long, value_name = "UID")]
    pub(super) as_uid: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Manner {
    /// kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier
    /// one
    ClientSide,
    /// kubectl apply --server-side: the server merges, and refuses to change fields of other managers
    ServerSide,
    /// kubectl create
    Create,
    /// kubectl replace
    Replace,
    /// kubectl delete
    Delete,
}

impl ClientFlags {
    /// Applies manifests of objects that would be created: `kubectl create` changes nothing that exists.
    pub(super) fn apply_what_exists(&mut self) {
        self.apply.take_if(|apply| *apply == Manner::Create);
    }

    /// Whether objects are deleted.
    pub(super) fn deletes(&self) -> bool {
        self.apply == Some(Manner::Delete)
    }
}

impl From<Manner> for Apply {
    fn from(manner: Manner) -> Self {
        match manner {
            Manner::ClientSide => Self::ClientSide,
            Manner::ServerSide => Self::ServerSide,
            Manner::Create => Self::Create,
            Manner::Replace => Self::Replace,
            Manner::Delete => Self::Delete,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub(super) enum Validation {
    /// Refuse the object
    Strict,
    /// Warn
    Warn,
    /// Ignore them
    Ignore,
}

/// Those of the flags that are set.
#[derive(Clone, Debug)]
pub(super) struct ClientOverride {
    namespace: Option<String>,
    as_user: Option<String>,
    as_group: Option<Vec<String>>,
    as_uid: Option<String>,
    field_validation: Option<Validation>,
}

impl ClientOverride {
    /// The flags that can differ from file to file.
    pub(super) const FLAGS: [&str; 5] = ["namespace", "as", "as-group", "as-uid", "field-validation"];

    /// Returns the flags of `matches`, except those with their default.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        let text = |id| is_given(matches, id).then(|| matches.get_one::<String>(id).cloned())?;
        Self {
            namespace: text("namespace"),
            as_user: text("as_user"),
            as_uid: text("as_uid"),
            as_group: matches.get_many("as_group").map(|groups| groups.cloned().collect()),
            field_validation: is_given(matches, "field_validation")
                .then(|| matches.get_one("field_validation").copied())
                .flatten(),
        }
    }
}

fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}

impl ClientFlags {
    /// Returns these flags, overridden by `client`.
    pub(super) fn with(self, client: &Client) -> Self {
        let validation = |validation| match validation {
            FieldValidation::Strict => Validation::Strict,
            FieldValidation::Warn => Validation::Warn,
            FieldValidation::Ignore => Validation::Ignore,
        };
        let Client { user, uid, groups, namespace, operation: _, apply, field_validation } = client.clone();
        let manner = |apply| match apply {
            Apply::ClientSide => Manner::ClientSide,
            Apply::ServerSide => Manner::ServerSide,
            Apply::Create => Manner::Create,
            Apply::Replace => Manner::Replace,
            Apply::Delete => Manner::Delete,
        };
        Self {
            namespace: namespace.or(self.namespace),
            apply: apply.map(manner).or(self.apply),
            force_conflicts: self.force_conflicts,
            field_manager: self.field_manager,
            user: UserFlags {
                as_user: user.unwrap_or(self.user.as_user),
                as_group: groups.unwrap_or(self.user.as_group),
                as_uid: uid.or(self.user.as_uid),
            },
            field_validation: field_validation.map(validation).or(self.field_validation),
            dry_run: self.dry_run,
        }
    }

    /// Takes over the values of `other`.
    pub(super) fn take(&mut self, other: &ClientOverride) {
        let ClientOverride { namespace, as_user, as_group, as_uid, field_validation } = other.clone();
        self.namespace = namespace.or_else(|| self.namespace.clone());
        let user = &mut self.user;
        user.as_user = as_user.unwrap_or_else(|| user.as_user.clone());
        user.as_group = as_group.unwrap_or_else(|| user.as_group.clone());
        user.as_uid = as_uid.or_else(|| user.as_uid.clone());
        self.field_validation = field_validation.or(self.field_validation);
    }

    /// Returns the namespace of documents without one.
    pub(super) fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or("default")
    }

    /// Returns the settings of requests to a server of `release` that documents do not contain.
    pub(super) fn defaults(&self, operation: Option<Operation>, release: Version) -> RequestDefaults {
        let apply = ApplyOptions {
            apply: self.apply.map(Apply::from).unwrap_or_default(),
            force_conflicts: self.force_conflicts,
            field_manager: self.field_manager.clone(),
            namespace: self.namespace.clone(),
            is_literal: self.apply.is_some(),
            recreates: false,
            generates_names: false,
        };
        RequestDefaults {
            namespace: self.namespace().to_owned(),
            operation,
            apply: Arc::new(apply),
            user_info: Arc::new(self.user.user_info()),
            dry_run: self.dry_run,
            field_validation: match self.field_validation {
                Some(Validation::Strict) => FieldValidation::Strict,
                Some(Validation::Warn) => FieldValidation::Warn,
                Some(Validation::Ignore) => FieldValidation::Ignore,
                None => RequestDefaults::of_release(release).field_validation,
            },
        }
    }
}

impl UserFlags {
    /// Whether no other user than the administrator of a new cluster is set.
    pub(super) fn is_administrator(&self) -> bool {
        self.as_user == "kubernetes-admin" && self.as_group.is_empty()
    }

    /// Returns the user with the groups that kubectl's certificate and the server add.
    pub(super) fn user_info(&self) -> UserInfo {
        let mut groups = self.as_group.clone();
        if self.is_administrator() {
            groups.push("system:masters".to_owned());
        }
        if !groups.iter().any(|group| group == "system:authenticated") {
            groups.push("system:authenticated".to_owned());
        }
        UserInfo {
            username: self.as_user.clone(),
            uid: self.as_uid.clone().unwrap_or_default(),
            groups,
            ..UserInfo::default()
        }
    }
}
