//! Keeps the results of a run for later ones.

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::admission::Effect;
use crate::cli::cache::pack::{Entry, PackWriter, packed};
use crate::cli::cache::{Cache, Key};
use crate::cli::output::{Rendered, Reports};
use crate::cli::session::Chunk;
use crate::evaluation::{Accepted, Outcome, QuotaUse};
use crate::report::{SKIP_ANNOTATION, Subject, Summary, quota_line};

/// Writes results to the reports, and keeps them.
pub(in crate::cli) struct Keeper<'a> {
    cache: &'a Cache,
    writer: Option<PackWriter>,
    kept: Vec<KeptSequence>,
    /// The error that ended the keeping.
    error: Option<io::Error>,
}

/// The results of a sequence so far.
#[derive(Default)]
struct KeptSequence {
    entry: Entry,
    counts: Summary,
    /// The number of documents that were written, if the sequence was known.
    written: usize,
    /// Whether a later run must evaluate it in any case.
    is_spoiled: bool,
}

impl<'a> Keeper<'a> {
    pub(in crate::cli) fn new(cache: &'a Cache) -> Self {
        Self { cache, writer: None, kept: Vec::new(), error: None }
    }

    /// Writes the results of a chunk to `reports`.
    pub(in crate::cli) fn take(&mut self, chunk: Chunk, reports: &mut Reports) -> io::Result<()> {
        let Some(plan) = self.cache.plan.get() else { return reports.take(chunk.outcomes) };
        self.kept.resize_with(plan.sequences.len(), KeptSequence::default);
        let render = |outcome: &Outcome| {
            let rendered: Vec<Vec<u8>> =
                reports.render(std::slice::from_ref(outcome)).into_iter().collect::<io::Result<_>>()?;
            let block = outcome.sequence.map(|_| packed(&rendered)).transpose()?;
            io::Result::Ok((rendered, block))
        };
        let rendered: Vec<_> = chunk.outcomes.par_iter().map(render).collect();
        let mut known = chunk.known.into_iter().peekable();
        for (position, (outcome, rendered)) in chunk.outcomes.iter().zip(rendered).enumerate() {
            while let Some((_, sequence)) = known.next_if(|(before, _)| *before <= position) {
                self.write_known(sequence, reports)?;
            }
            let (rendered, block) = rendered?;
            reports.write(as_rendered(rendered))?;
            if let (Some(sequence), Some(block)) = (outcome.sequence, block)
                && let Err(error) = self.keep(sequence, outcome, &block)
            {
                self.writer = None;
                self.error.get_or_insert(error);
            }
        }
        known.try_for_each(|(_, sequence)| self.write_known(sequence, reports))
    }

    fn write_known(&mut self, sequence: u32, reports: &mut Reports) -> io::Result<()> {
        let kept = &mut self.kept[sequence as usize];
        let nth = kept.written;
        kept.written += 1;
        let (pack, entry) = self.cache.known(sequence).expect("the plan names what is known");
        let block = entry.blocks.iter().chain(&entry.later).nth(nth).expect("as many as the plan names");
        reports.write(as_rendered(pack.block(*block)?))
    }

    fn keep(&mut self, sequence: u32, outcome: &Outcome, block: &[u8]) -> io::Result<()> {
        if self.error.is_some() {
            return Ok(());
        }
        let kept = &mut self.kept[sequence as usize];
        kept.is_spoiled |= outcome.with_caused().any(depends_on_others);
        if kept.is_spoiled {
            return Ok(());
        }
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(PackWriter::create(self.cache.temporary())?),
        };
        let block = writer.add(block)?;
        kept.counts.count(outcome);
        if outcome.cause.is_some() {
            kept.entry.later.push(block);
            return Ok(());
        }
        let nth = u32::try_from(kept.entry.blocks.len()).map_err(io::Error::other)?;
        kept.entry.blocks.push(block);
        if !outcome.allowed() {
            kept.entry.refused.push((nth, Subject::of(outcome).to_string()));
        }
        if outcome.is_pending {
            kept.entry.first_waiting.get_or_insert(nth);
        }
        Ok(())
    }

    /// Gives the pack its name, if there is anything new in it.
    pub(super) fn end(self, cache: &Cache, quotas: &[QuotaUse]) -> io::Result<()> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let (Some(writer), Some(plan)) = (self.writer, cache.plan.get()) else { return Ok(()) };
        let mut entries: BTreeMap<Key, Entry> = BTreeMap::new();
        for (kept, sequence) in self.kept.into_iter().zip(&plan.sequences) {
            let is_whole = !kept.is_spoiled && kept.entry.blocks.len() == sequence.documents;
            if sequence.pack.is_some() || !is_whole {
                continue;
            }
            let is_own = |quota: &&QuotaUse| cache.is_single || quota.namespace == sequence.namespace;
            let quotas: Option<_> = quotas.iter().filter(is_own).map(quota_line).collect();
            let Some(quotas) = quotas else { continue };
            let is_masked = sequence.is_masked.load(Ordering::Relaxed);
            let entry = Entry { counts: kept.counts.into(), quotas, is_masked, ..kept.entry };
            entries.insert(sequence.key, entry);
        }
        if entries.is_empty() {
            return Ok(());
        }
        let routes = mem::take(&mut *cache.routes()).into_iter().collect();
        writer.end(&cache.directory, cache.base, entries, routes)
    }
}

/// Whether a result depends on more than its key, or has an effect that is not in its renderings: a skip or the baseline
/// accepts it, or it is one of the failures of a policy of which the first is reported.
fn depends_on_others(outcome: &Outcome) -> bool {
    let is_skipped = || outcome.place.as_ref().is_some_and(|place| place.text().contains(SKIP_ANNOTATION));
    let failed_open = |effect: &Effect| matches!(effect, Effect::FailedOpen(_));
    outcome.accepted != Accepted::default()
        || is_skipped()
        || outcome.trace.effects().iter().any(|applied| failed_open(&applied.effect))
}

fn as_rendered(renderings: Vec<Vec<u8>>) -> Rendered {
    renderings.into_iter().map(Ok).collect()
}
