//! Reads the documents of a scenario: one file after the other, or all in the order of their evaluation.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rayon::prelude::*;

use crate::admission::Operation;
use crate::api_server::{read_request, request};
use crate::cli::cache::{Cache, Mark, Prints};
use crate::cli::input::Input;
use crate::cli::order::{self, Batch, Batches, Document, Order};
use crate::cli::overrides::Overrides;
use crate::cli::recreate::{self, KnownKind, Recreation};
use crate::cli::scenario::Scenario;
use crate::cli::scenario::per_file::ForFiles;
use crate::cli::session::{Unworkable, Work};
use crate::code::Code;
use crate::evaluation::{Parameters, Prepared, Rank, Shard};
use crate::report::{Diagnostic, Severity};
use gotext::source::SourceFile;
use kube_api::server_profile::ServerProfile;
use kube_yaml::Part;

impl Scenario {
    /// Reads and decodes the documents of one file, each with its rank.
    pub(in crate::cli) fn read_file(
        &self,
        input: Result<Input, Diagnostic>,
        overrides: &Overrides,
        profile: &ServerProfile,
    ) -> Vec<(Rank, Result<Prepared, Diagnostic>)> {
        let files = ForFiles {
            client: &self.client,
            operation: self.operation.map(Operation::from),
            recreation: Recreation::Nothing,
            generates_names: self.generates_names,
            existing: BTreeSet::new(),
            overrides,
            release: profile.reading_release(),
        };
        let (order, non_manifests) = (self.order(), self.non_manifests());
        let mut documents = Vec::new();
        for part in non_manifests.parts_of(input) {
            for item in order::items_of(part, non_manifests) {
                let rank = order::rank_of(order, &item);
                let prepared = item.and_then(|item| {
                    let own = files.own_defaults(item.source.name(), false);
                    request(item, &own.unwrap_or_else(|| files.defaults()), profile)
                });
                documents.push((rank, prepared));
            }
        }
        documents
    }

    /// Returns the texts of the files of `paths`.
    pub(in crate::cli) fn sources(
        &self,
        paths: &[String],
        overrides: &Overrides,
    ) -> Vec<Result<Arc<SourceFile>, Diagnostic>> {
        self.inputs(paths, overrides).into_par_iter().map(|input| input?.read()).collect()
    }

    /// Reads and decodes all documents of `sources`, in the order of their evaluation.
    pub(in crate::cli) fn prepared(
        &self,
        sources: Vec<Result<Arc<SourceFile>, Diagnostic>>,
        overrides: &Overrides,
        profile: &ServerProfile,
    ) -> Vec<Result<Prepared, Diagnostic>> {
        let read = |source: Result<Arc<SourceFile>, Diagnostic>| {
            self.read_file(source.map(Input::Text), overrides, profile)
        };
        let files: Vec<_> = sources.into_par_iter().map(read).collect();
        let mut documents: Vec<_> = files.into_iter().flatten().collect();
        self.sort(&mut documents, |(rank, _)| rank);
        documents.into_iter().map(|(_, prepared)| prepared).collect()
    }

    /// Reads and decodes all documents, in order, in batches that are processed in parallel. Each batch is sent before it
    /// is ready.
    pub(super) fn read_documents(
        &self,
        paths: &[String],
        sender: &SyncSender<Receiver<Vec<Work>>>,
        files: &ForFiles<'_>,
        (profile, known, cache): (&ServerProfile, &KnownKind<'_>, Option<&Cache>),
        total: &AtomicUsize,
    ) {
        let everywhere = &files.defaults();
        let is_followed = self.choices().follows_workloads.unwrap_or(!self.strict);
        let non_manifests = self.non_manifests();
        let namespace = |file: &str| {
            let own = files.own_defaults(file, false);
            own.unwrap_or_else(|| everywhere.clone()).namespace
        };
        let prints = cache.map(|cache| Prints::new(cache, &namespace));
        let (batches, parameters) = self.batches(paths, files.overrides, (known, cache.zip(prints.as_ref())));
        total.store(batches.total.unwrap_or_default(), Ordering::Relaxed);
        let parameters = &parameters;
        let prepare = |document: Document| {
            let (item, mark) = match document {
                Document::Known { sequence, comes_again } => {
                    return Err(Unworkable::Known { sequence, comes_again });
                }
                Document::Item(item, mark) => (*item, mark),
            };
            let mut item = item.map_err(Unworkable::Input)?;
            let is_recreated = files.recreates(&item);
            if is_recreated {
                recreate::forget(&mut item.node);
            }
            let own = files.own_defaults(item.source.name(), is_recreated);
            let defaults = own.as_ref().unwrap_or(everywhere);
            let request = read_request(item, defaults).map_err(Unworkable::Input)?;
            let is_parameter = request.kind.as_ref().is_some_and(|kind| parameters.has(&kind.kind));
            let leaves_out = |shard: Shard| !is_parameter && shard.leaves_out(&request, profile.release());
            if self.shard.is_some_and(leaves_out) {
                return Ok(Prepared::undecoded(request, profile));
            }
            let mut prepared = Prepared::new(request, profile);
            prepared.is_parameter = is_parameter;
            match mark {
                Some(Mark::New(sequence)) => prepared.sequence = Some(sequence),
                Some(Mark::Known { .. }) => prepared.is_known = true,
                None => {}
            }
            Ok(if is_followed { prepared.followed(profile) } else { prepared })
        };
        rayon::in_place_scope(|scope| {
            for batch in batches.batches {
                let (ready, work) = sync_channel(1);
                scope.spawn(move |_| {
                    let mut prepared = Vec::new();
                    for items in batch.documents(non_manifests) {
                        // A list is one document with any number of objects.
                        let items = items.into_par_iter().with_min_len(Batch::SIZE);
                        prepared.par_extend(items.map(prepare));
                    }
                    let _ = ready.send(prepared);
                });
                // The other end is closed only if the report can no longer be written.
                if sender.send(work).is_err() {
                    return;
                }
            }
        });
    }

    /// Returns all documents, in the order of their evaluation, and the kinds of the parameters of policies.
    fn batches(
        &self,
        paths: &[String],
        overrides: &Overrides,
        (known, cache): (&KnownKind<'_>, Option<(&Cache, &Prints<'_>)>),
    ) -> (Batches, Parameters) {
        let non_manifests = self.non_manifests();
        let (batches, parameters) = match self.order() {
            Order::File => (order::as_written(self.parts(paths, overrides)), Parameters::default()),
            order => order::sorted(&self.inputs(paths, overrides), order, non_manifests, cache),
        };
        if self.recreation() == Recreation::Nothing && self.existing.is_empty() {
            return (batches, parameters);
        }
        let batches: Vec<_> = batches.batches.collect();
        let mut chunks: Vec<_> =
            batches.into_par_iter().flat_map_iter(|batch| batch.items(non_manifests)).collect();
        let existing = non_manifests.items(&self.existing, &self.selection).flatten().flatten().collect();
        let existing = recreate::objects_besides(&chunks, existing, known);
        let notes = recreate::leave_out(&mut chunks, self.recreation());
        if !existing.is_empty() {
            chunks.push(existing.into_iter().map(Ok).collect());
        }
        let notes = notes.into_iter().map(|note| Err(Diagnostic::note(Code::InputControlled, note)));
        chunks.push(notes.collect());
        let total = Some(chunks.iter().map(Vec::len).sum());
        (Batches { total, batches: Box::new(chunks.into_iter().map(Batch::from)) }, parameters)
    }

    /// Returns the documents of `paths`, found and not yet read.
    pub(super) fn parts(
        &self,
        paths: &[String],
        overrides: &Overrides,
    ) -> impl Iterator<Item = Result<Part, Diagnostic>> + use<> {
        let non_manifests = self.non_manifests();
        self.inputs(paths, overrides).into_iter().flat_map(move |input| non_manifests.parts_of(input))
    }

    /// Returns the files of `paths`, except those that the settings exclude.
    pub(super) fn inputs(&self, paths: &[String], overrides: &Overrides) -> Vec<Result<Input, Diagnostic>> {
        let excluded = self.selection.excluded();
        let is_excluded =
            |name: &str| overrides.exclude(name) || excluded.iter().any(|patterns| patterns.fit(name));
        let is_wanted = |input: &Result<Input, Diagnostic>| match input {
            Ok(input) => !is_excluded(&input.name()),
            Err(said) => said.severity != Severity::Note || !said.file.as_deref().is_some_and(is_excluded),
        };
        self.selection.expand(paths).into_iter().filter(is_wanted).collect()
    }

    /// Returns warnings about the overrides that fit no file of `paths`.
    pub(in crate::cli) fn idle_overrides(&self, paths: &[String], overrides: &Overrides) -> Vec<Diagnostic> {
        if overrides.0.is_empty() {
            return Vec::new();
        }
        let name = |input: Result<Input, Diagnostic>| match input {
            Ok(input) => Some(input.name().into_owned()),
            Err(said) => said.file,
        };
        let files: Vec<String> = self.selection.expand(paths).into_iter().filter_map(name).collect();
        overrides.idle(&files)
    }
}
