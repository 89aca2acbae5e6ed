//! One of several runs over the same documents, each of which answers for some of the namespaces.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::evaluation::{Evaluator, Outcome, Prepared, Request, Unevaluated, is_needed};
use kube_api::GroupVersionKind;
use kube_api::name_generator::fnv1a;
use kube_api::resource;
use kube_api::resources::{MUTATING_ADMISSION_POLICIES, SERVICES, VALIDATING_ADMISSION_POLICIES};
use kube_api::version::Version;

/// The part of the namespaces that a run answers for. Every run gets all documents: what others depend on is state in
/// each of them, and is answered for by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Counted from 1.
    number: u64,
    count: u64,
}

/// The reason that a text is not a shard.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("not a shard, such as 1/4: the first number is at least 1 and at most the second")]
pub struct ShardError;

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, count) = text.split_once('/').ok_or(ShardError)?;
        let read = |text: &str| text.parse().map_err(|_| ShardError);
        let shard = Self { number: read(number)?, count: read(count)? };
        if (1..=shard.count).contains(&shard.number) { Ok(shard) } else { Err(ShardError) }
    }
}

impl Shard {
    /// Whether the run answers for objects of `namespace`, which is empty for those of the cluster. The answer is the
    /// same on every machine.
    pub fn has(self, namespace: &str) -> bool {
        Self::number_of(namespace, self.count) == self.number
    }

    /// Returns all shards, if there are `count`.
    pub fn all(count: u64) -> impl Iterator<Item = Self> {
        (1..=count).map(move |number| Self { number, count })
    }

    /// Returns the position among [`all`](Self::all) of the shard that answers for objects of `namespace`.
    pub fn position(namespace: &str, count: u64) -> usize {
        usize::try_from(Self::number_of(namespace, count) - 1).unwrap_or_default()
    }

    fn number_of(namespace: &str, count: u64) -> u64 {
        if namespace.is_empty() { 1 } else { fnv1a(namespace.as_bytes()) % count + 1 }
    }

    /// Whether `request` is about a built-in kind and does not matter to the run, as far as that is known without the
    /// cluster.
    pub fn leaves_out(self, request: &Request, release: Version) -> bool {
        only_namespace(request, release).is_some_and(|namespace| !self.has(namespace))
    }
}

impl Prepared {
    /// Returns the only namespace that the request matters to, if that is known without the cluster; `parameters` are the
    /// kinds of the parameters of policies in it.
    pub fn only_namespace(&self, release: Version, parameters: &[GroupVersionKind]) -> Option<&str> {
        let is_parameter =
            self.is_parameter || self.request.kind.as_ref().is_some_and(|kind| parameters.contains(kind));
        if is_parameter { None } else { only_namespace(&self.request, release) }
    }
}

/// Returns the only namespace that a request about a built-in kind matters to.
fn only_namespace(request: &Request, release: Version) -> Option<&str> {
    let (kind, namespace) = request.kind.as_ref().zip(request.namespace.as_deref())?;
    let is_namespaced = resource::by_kind_in(release, kind).is_some_and(|found| found.namespaced);
    (is_namespaced && !crosses_namespaces(kind)).then_some(namespace)
}

/// Whether requests in one namespace depend on objects of `kind` in others: what the server looks up, and Services,
/// whose addresses are those of the whole cluster.
pub fn crosses_namespaces(kind: &GroupVersionKind) -> bool {
    is_needed(&kind.kind) || kind.group == SERVICES.group && kind.kind == "Service"
}

impl Evaluator {
    /// Evaluates as one of several runs: only requests of the namespaces of `shard` have outcomes.
    #[must_use]
    pub fn for_shard(self, shard: Shard) -> Self {
        Self { shard: Some(shard), ..self }
    }

    /// Adds what `others` counted in their shards to what this one counted in its own: now it answers for all.
    #[cfg(feature = "cli")]
    pub(crate) fn join(&mut self, others: Vec<Self>) {
        for other in others {
            if let Some(shard) = other.shard {
                self.quotas.take(other.quotas, |namespace| shard.has(namespace));
            }
            self.authorizer.join(&other.authorizer);
        }
        self.shard = None;
        self.elsewhere = 0;
    }

    /// Leaves all namespaces that are not of `shard` to others.
    #[cfg(feature = "cli")]
    pub(crate) fn answer_for(&mut self, shard: Shard) {
        self.shard = Some(shard);
    }

    /// Whether several evaluators can share the namespaces: no plugin counts all requests, and no webhook is asked.
    #[cfg(feature = "cli")]
    pub(crate) fn can_be_split(&self) -> bool {
        self.can_resume() && !self.authorizer.has_webhooks()
    }

    /// Returns the number of requests that other runs answer for.
    pub fn elsewhere(&self) -> usize {
        self.elsewhere
    }

    /// Evaluates `prepared`, unless it matters only in the namespaces of another run. What it admits exists here as well,
    /// and the other run reports its outcome.
    pub(super) fn evaluate_own(&mut self, prepared: Prepared) -> Option<Result<Outcome, Unevaluated>> {
        if prepared.is_known {
            let mut outcome = self.evaluate(prepared).ok()?;
            outcome.is_elsewhere = true;
            return Some(Ok(outcome));
        }
        let Some(shard) = self.shard else {
            let sequence = prepared.sequence;
            return Some(self.evaluate(prepared).map(|outcome| Outcome { sequence, ..outcome }));
        };
        let Prepared { request, routing, .. } = &prepared;
        let release = self.profile.release();
        let target =
            routing.clone().finish(request, &self.cluster, &self.runtime_config, &*self.handlers, release);
        let target = target.ok().and_then(Result::ok);
        let namespace =
            request.namespace.as_deref().filter(|_| target.as_ref().is_some_and(|it| it.namespaced));
        if shard.has(namespace.unwrap_or_default()) {
            return Some(self.evaluate(prepared));
        }
        self.elsewhere += 1;
        let is_shared = |kind: &GroupVersionKind| prepared.is_parameter || self.is_shared(kind);
        if target.is_some_and(|target| target.namespaced && !is_shared(&target.kind)) {
            self.skip_document();
            return None;
        }
        let mut outcome = self.evaluate(prepared).ok()?;
        outcome.is_elsewhere = true;
        Some(Ok(outcome))
    }

    /// Whether requests in one namespace can depend on objects of `kind` in others.
    fn is_shared(&self, kind: &GroupVersionKind) -> bool {
        crosses_namespaces(kind) || self.parameter_kinds().any(|parameter| parameter == *kind)
    }

    /// Returns the kinds of the parameters of the policies that exist.
    pub fn parameter_kinds(&self) -> impl Iterator<Item = GroupVersionKind> {
        let policies = [VALIDATING_ADMISSION_POLICIES, MUTATING_ADMISSION_POLICIES];
        let policies = policies.into_iter().flat_map(|resource| self.cluster.list_all(&resource));
        policies.filter_map(|policy| {
            let of = policy.at(["spec", "paramKind"])?;
            Some(GroupVersionKind::from_api_version(of.text("apiVersion"), of.text("kind")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_namespace_has_one_shard() {
        for count in [1, 2, 7, 64] {
            let shards: Vec<_> = (1..=count).map(|number| Shard { number, count }).collect();
            for namespace in ["", "default", "shop", "kube-system"] {
                assert_eq!(shards.iter().filter(|shard| shard.has(namespace)).count(), 1);
            }
            assert!(shards[0].has(""));
        }
    }

    #[test]
    fn reads_its_number() {
        assert_eq!("2/7".parse(), Ok(Shard { number: 2, count: 7 }));
        for text in ["", "1", "0/4", "5/4", "-1/4", "a/b", "1/0", "1/4/2"] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text}");
        }
    }
}
