//! Requests of an audit log that another server answers otherwise: those that are alike are one difference.

use std::collections::BTreeSet;

use crate::admission::Operation;
use crate::plugin;
use crate::report::acceptance::rule_named;
use crate::report::comparison::difference::{Difference, Event, OutcomeEvent, Verdict};
use crate::report::comparison::kept::Denial;
use crate::report::comparison::{Compared, Side};
use crate::report::{Diagnostic, Summary};

/// What reports say first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    /// The result, in a few words.
    pub verdict: String,
    /// What was compared, in a sentence.
    pub about: String,
    /// Whether the result is a failure.
    pub fails: bool,
}

/// Requests of a log that another server answers otherwise in the same way.
#[derive(Clone, Copy, Debug)]
pub struct LoggedChange<'a> {
    /// What happens to them.
    pub event: Event,
    /// The plugin, or the part of the server.
    pub rule: &'a str,
    /// The message about the first.
    pub message: &'a str,
    /// The first: verb, resource and object, such as `create pods shop/web`.
    pub request: &'a str,
    /// Its file and line.
    pub place: (&'a str, usize),
    /// Their number.
    pub count: u64,
}

impl Compared {
    /// Returns the comparison of the answers to the requests of a log.
    pub fn of_log<'a>(
        changes: impl IntoIterator<Item = LoggedChange<'a>>,
        lead: Lead,
        diagnostics: Vec<Diagnostic>,
    ) -> Self {
        let differences: Vec<_> = changes.into_iter().map(Difference::of_log).collect();
        let rules = differences.iter().flat_map(|difference| &difference.happened).map(|event| event.rule);
        let plugins: BTreeSet<&'static str> = rules.filter(|rule| plugin::find(rule).is_some()).collect();
        let side = Side { plugins: plugins.into_iter().collect(), summary: Summary::default() };
        let mut after = side.clone();
        after.summary.exit_status = u8::from(lead.fails);
        Self {
            before: side,
            after,
            differences,
            diagnostics,
            denied_by_both: Vec::new(),
            hidden: 0,
            lead: Some(lead),
        }
    }
}

impl Difference {
    fn of_log(change: LoggedChange<'_>) -> Self {
        let LoggedChange { event, rule, message, request, place: (file, line), count } = change;
        let rule = rule_named(rule).unwrap_or(Summary::API_SERVER);
        let (verb, about) = request.split_once(' ').unwrap_or((request, ""));
        let (kind, object) = about.split_once(' ').unwrap_or((about, ""));
        let (namespace, name) = object.split_once('/').unwrap_or(("", object));
        let denial = || Denial {
            rule,
            code: 0,
            reason: "Denied".to_owned(),
            message: message.to_owned(),
            accepted: None,
        };
        let denied = || Verdict::Denied(denial());
        let (before, after) = match event {
            Event::NewlyDenied | Event::DeniedOtherwise => (Verdict::Admitted, denied()),
            Event::NoLongerDenied => (denied(), Verdict::Admitted),
            _ => (Verdict::Admitted, Verdict::Admitted),
        };
        let message = Some(message).filter(|message| !message.is_empty()).map(str::to_owned);
        Self {
            subject: request.to_owned(),
            kind: kind.to_owned(),
            operation: match verb {
                "create" => Operation::Create,
                "delete" | "deletecollection" => Operation::Delete,
                "update" | "patch" => Operation::Update,
                _ => Operation::Connect,
            },
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            place: Some((file.to_owned(), line)),
            is_caused: false,
            before,
            after,
            happened: vec![OutcomeEvent::new(event, rule, message)],
            change: None,
            evidence: None,
            edit: None,
            count: usize::try_from(count).unwrap_or(usize::MAX),
        }
    }
}
