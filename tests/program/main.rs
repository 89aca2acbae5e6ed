//! Tests of the program: its sessions, its reports, its pages, and scenarios of whole clusters.

mod acceptance;
mod cache;
mod cli;
mod client;
mod codes;
mod fix;
mod generated;
mod golden;
mod hostile;
mod krm;
mod library;
mod lsp;
mod manual;
mod outputs;
mod packages;
mod picture;
mod readme;
mod releases;
mod reports;
mod require;
mod scenarios;
mod scratch;
mod secrets;
#[cfg(unix)]
mod serve;
mod shards;
mod site;
mod static_manifests;
mod stored;
mod suites;
mod threads;
mod watch;
mod webhooks;
