//! What a build is made from.
//!
//! Source: `validateSource` of `openshift-apiserver` `pkg/build/apis/build/validation`.

use std::collections::BTreeSet;

use crate::openshift::served::build::{clean, validate_image_reference, validate_secret};
use crate::validation::metadata::name_is_dns_subdomain;
use crate::validation::node::{Errors, Node};
use gotext::url::Url;
use kube_api::internal_json;

const MAX_DOCKERFILE: usize = 60_000;

pub(super) fn validate(
    errors: &mut Errors,
    source: &Node,
    is_custom: bool,
    is_docker: bool,
    reads_repository: bool,
) {
    if source.has("git") && source.has("binary") && !is_custom {
        errors.invalid(&source.at("git"), "", "may not be set when binary is also set");
        return errors.invalid(&source.at("binary"), "", "may not be set when git is also set");
    }
    if let Some(git) = source.get("git") {
        validate_git(errors, &git);
    }
    if let Some(binary) = source.get("binary") {
        let file = binary.text("asFile");
        let cleaned = clean(file);
        let cleaned = cleaned.strip_prefix('/').unwrap_or(&cleaned);
        let is_name =
            !["", "."].contains(&cleaned) && !cleaned.starts_with("..") && !cleaned.contains(['/', '\\']);
        if !file.is_empty() && !is_name {
            let detail = "file name may not contain slashes or relative path segments and must be a valid POSIX filename";
            errors.invalid(&binary.at("asFile"), file, detail);
        }
    }
    if source.text("dockerfile").len() > MAX_DOCKERFILE {
        let detail = format!("must be smaller than {MAX_DOCKERFILE} bytes");
        errors.invalid(&source.at("dockerfile"), "", detail);
    }
    source.items("images").for_each(|image| validate_image_source(errors, &image));
    let mut seen = BTreeSet::new();
    for image in source.items("images") {
        for (index, name) in image.texts("as").enumerate() {
            if !name.is_empty() && !seen.insert(name) {
                errors.duplicate(&image.at("as").index(index), name);
            }
        }
    }
    if reads_repository && !source.has("git") {
        let detail = "must be set when using Jenkins Pipeline strategy with Jenkinsfile from a git repo";
        errors.invalid(&source.at("git"), "", detail);
    }
    for (list, field, what, table) in [
        ("secrets", "secret", "secret", "openshift/build/v1.SecretBuildSource"),
        ("configMaps", "configMap", "configMap", "openshift/build/v1.ConfigMapBuildSource"),
    ] {
        for item in source.items(list) {
            let name = item.child(field).text("name");
            if name.is_empty() {
                errors.required(&item.at(field), "");
            }
            if !name_is_dns_subdomain(name, false).is_empty() {
                let printed = internal_json::internal(table, item.value());
                errors.invalid_printed(&item.at(field), printed, format!("must be valid {what} name"));
            }
            let directory = item.text("destinationDir");
            if clean(directory).starts_with("..") {
                errors.invalid(&item.at("destinationDir"), directory, STARTS_ABOVE);
            }
            if is_docker && directory.starts_with('/') {
                let detail = "for the docker strategy the destinationDir has to be relative path";
                errors.invalid(&item.at("destinationDir"), directory, detail);
            }
        }
    }
    validate_secret(errors, source, "sourceSecret");
    let directory = source.text("contextDir");
    if !directory.is_empty() && clean(directory).starts_with("..") {
        errors.invalid(&source.at("contextDir"), directory, "context dir must not be a relative path");
    }
}

const STARTS_ABOVE: &str = "destination dir cannot start with '..'";

fn validate_git(errors: &mut Errors, git: &Node) {
    let address = git.text("uri");
    if address.is_empty() {
        errors.required(&git.at("uri"), "");
    } else if let Err(error) = check_git_address(address) {
        errors.invalid(&git.at("uri"), address, error);
    }
    for (field, shown) in [("httpProxy", "httpproxy"), ("httpsProxy", "httpsproxy")] {
        let proxy = git.text(field);
        let parsed = Url::parse(proxy);
        let is_web = parsed.as_ref().is_ok_and(|url| url.scheme.starts_with("http"));
        if let Err(error) = parsed
            && !proxy.is_empty()
            && !is_web
            && Url::parse(&format!("http://{proxy}")).is_err()
        {
            errors.invalid(&git.at(shown), proxy, error);
        }
    }
}

/// Implements `parseGitURL`: what has no scheme is a path, or an address as of `scp`.
fn check_git_address(address: &str) -> Result<(), String> {
    let scheme = address.split(':').next().unwrap_or_default();
    let is_scheme = scheme.len() < address.len()
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|character| character.is_ascii_alphanumeric() || "-+.".contains(character));
    if !is_scheme {
        return Ok(());
    }
    let parsed = Url::parse(address)?;
    if parsed.scheme == "file" && !parsed.host.is_empty() {
        let (address, host) = (gotext::quote(address), gotext::quote(&parsed.host));
        return Err(format!("file url {address} has non-empty host {host}"));
    }
    Ok(())
}

fn validate_image_source(errors: &mut Errors, image: &Node) {
    validate_image_reference(errors, &image.child("from"));
    validate_secret(errors, image, "pullSecret");
    if image.len("paths") == 0 && image.len("as") == 0 {
        for field in ["paths", "as"] {
            errors.required(&image.at(field), "must specify 'paths' or 'as'");
        }
    }
    for path in image.items("paths") {
        let (from, to) = (path.text("sourcePath"), path.text("destinationDir"));
        errors.require_text(&path, "sourcePath");
        errors.require_text(&path, "destinationDir");
        if !from.starts_with('/') {
            errors.invalid(&path.at("sourcePath"), from, "must be an absolute path");
        }
        if to.starts_with('/') {
            errors.invalid(&path.at("destinationDir"), to, "must be a relative path");
        }
        if clean(to).starts_with("..") {
            errors.invalid(&path.at("destinationDir"), to, STARTS_ABOVE);
        }
    }
    for (index, name) in image.texts("as").enumerate() {
        if name.is_empty() {
            errors.invalid(&image.at("as").index(index), "", "must not be empty");
        }
    }
}
