//! Lifecycle handlers, stop signals and probes of a container.
//!
//! Source: `validateLifecycle`, `validateProbe`, `validateHandler`.

use crate::validation::node::{Errors, Node};
use crate::validation::pod::Pod;
use crate::validation::pod::containers::{validate_port_num_or_name, validate_port_number};
use gotext::names;
use kube_api::field::Rule;

const STOP_SIGNALS_LINUX: [&str; 65] = [
    "SIGABRT",
    "SIGALRM",
    "SIGBUS",
    "SIGCHLD",
    "SIGCLD",
    "SIGCONT",
    "SIGFPE",
    "SIGHUP",
    "SIGILL",
    "SIGINT",
    "SIGIO",
    "SIGIOT",
    "SIGKILL",
    "SIGPIPE",
    "SIGPOLL",
    "SIGPROF",
    "SIGPWR",
    "SIGQUIT",
    "SIGRTMAX",
    "SIGRTMAX-1",
    "SIGRTMAX-10",
    "SIGRTMAX-11",
    "SIGRTMAX-12",
    "SIGRTMAX-13",
    "SIGRTMAX-14",
    "SIGRTMAX-2",
    "SIGRTMAX-3",
    "SIGRTMAX-4",
    "SIGRTMAX-5",
    "SIGRTMAX-6",
    "SIGRTMAX-7",
    "SIGRTMAX-8",
    "SIGRTMAX-9",
    "SIGRTMIN",
    "SIGRTMIN+1",
    "SIGRTMIN+10",
    "SIGRTMIN+11",
    "SIGRTMIN+12",
    "SIGRTMIN+13",
    "SIGRTMIN+14",
    "SIGRTMIN+15",
    "SIGRTMIN+2",
    "SIGRTMIN+3",
    "SIGRTMIN+4",
    "SIGRTMIN+5",
    "SIGRTMIN+6",
    "SIGRTMIN+7",
    "SIGRTMIN+8",
    "SIGRTMIN+9",
    "SIGSEGV",
    "SIGSTKFLT",
    "SIGSTOP",
    "SIGSYS",
    "SIGTERM",
    "SIGTRAP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGUSR1",
    "SIGUSR2",
    "SIGVTALRM",
    "SIGWINCH",
    "SIGXCPU",
    "SIGXFSZ",
];

pub(super) fn validate_lifecycle_and_probes(errors: &mut Errors, container: &Node, pod: &Pod) {
    if let Some(lifecycle) = container.get("lifecycle") {
        for event in ["postStart", "preStop"] {
            if let Some(handler) = lifecycle.get(event) {
                validate_handler(errors, &handler, &["exec", "httpGet", "tcpSocket", "sleep"], pod);
            }
        }
        validate_stop_signal(errors, &lifecycle, pod);
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = container.get(name) else { continue };
        validate_probe(errors, &probe, pod);
        if name == "readinessProbe" {
            if let Some(period) = probe.number("terminationGracePeriodSeconds") {
                let path = probe.at("terminationGracePeriodSeconds");
                errors.invalid_int(&path, period, "must not be set for readinessProbes");
            }
        } else if probe.int("successThreshold") != 1 {
            errors.invalid_int(&probe.at("successThreshold"), probe.int("successThreshold"), "must be 1");
        }
    }
}

/// Implements `validateProbe`.
fn validate_probe(errors: &mut Errors, probe: &Node, pod: &Pod) {
    validate_handler(errors, probe, &["exec", "httpGet", "tcpSocket", "grpc"], pod);
    for field in
        ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
    {
        errors.non_negative(probe, field);
    }
    if let Some(period) = probe.number("terminationGracePeriodSeconds").filter(|period| *period <= 0) {
        errors.invalid_int(&probe.at("terminationGracePeriodSeconds"), period, "must be greater than 0");
    }
}

/// Implements `validateHandler`: exactly one of `kinds`.
fn validate_handler(errors: &mut Errors, handler: &Node, kinds: &[&'static str], pod: &Pod) {
    let mut found = false;
    for kind in kinds {
        let Some(action) = handler.get(kind) else { continue };
        if found {
            errors.forbidden(&action.here(), "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        match *kind {
            "exec" if action.len("command") == 0 => errors.required(&action.at("command"), ""),
            "exec" => {}
            "httpGet" => validate_http_get_action(errors, &action),
            "tcpSocket" => validate_port_num_or_name(errors, &action, "port"),
            "grpc" => {
                validate_port_number(errors, &action, "port");
                errors.optional_one_of(&action, "mode", &["Plaintext", "TLS"]);
            }
            _ => validate_sleep_action(errors, &action, pod),
        }
    }
    if !found {
        errors.required(&handler.here(), "must specify a handler type");
    }
}

/// Implements `validateHTTPGetAction`.
fn validate_http_get_action(errors: &mut Errors, action: &Node) {
    errors.require_text(action, "path");
    validate_port_num_or_name(errors, action, "port");
    errors.one_of(action, "scheme", &["HTTP", "HTTPS"]);
    errors.optional_one_of(action, "protocol", &["HTTP1", "HTTP2"]);
    if action.text("protocol") == "HTTP2" && action.text("scheme") != "HTTP" {
        errors.invalid(&action.at("protocol"), "HTTP2", "must only be used with the scheme HTTP");
    }
    for header in action.list("httpHeaders").iter().map(Node::root) {
        let name = header.text("name");
        errors.each(|| action.at("httpHeaders"), name, names::is_http_header_name(name));
    }
}

/// Implements `validateSleepAction`.
fn validate_sleep_action(errors: &mut Errors, action: &Node, pod: &Pod) {
    let Some(period) = pod.spec.number("terminationGracePeriodSeconds") else { return };
    let seconds = action.int("seconds");
    let shortest = i64::from(!errors.since(34));
    if seconds < shortest || seconds > period {
        let detail = format!("must be non-negative and less than terminationGracePeriodSeconds ({period})");
        errors.by(Rule::Sleep, |errors| errors.invalid_int(&action.here(), seconds, detail));
    }
}

/// Implements `validateStopSignal`.
fn validate_stop_signal(errors: &mut Errors, lifecycle: &Node, pod: &Pod) {
    if !lifecycle.has("stopSignal") {
        return;
    }
    match pod.spec.get("os").map(|os| os.text("name").to_owned()).as_deref() {
        None => {
            let detail = "may not be set for containers with empty `spec.os.name`";
            errors.forbidden(&lifecycle.at("stopSignal"), detail);
        }
        Some("windows") => errors.one_of(lifecycle, "stopSignal", &["SIGKILL", "SIGTERM"]),
        Some("linux") => errors.one_of(lifecycle, "stopSignal", &STOP_SIGNALS_LINUX),
        Some(_) => {}
    }
}
