//! Several evaluators at once, each of which answers for some of the namespaces; their results come in the order of one.

use std::mem;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::api_server::STACK_SIZE;
use crate::evaluation::{Evaluator, Outcome, Prepared, Shard, Unevaluated};
use kube_api::GroupVersionKind;
use kube_api::version::Version;

/// The number of batches that one evaluator may be ahead of another.
const AHEAD: usize = 4;

/// A document for one evaluator.
struct Task {
    /// The number of documents before it that are not for this evaluator, since its last one.
    skipped: u64,
    /// Its position in the batch.
    position: usize,
    prepared: Prepared,
}

/// What one evaluator says of a batch: the outcomes that it answers for, by their positions.
type Answers = Vec<(usize, Result<Outcome, Unevaluated>)>;

/// The requests that controllers repeat in one namespace, by the number of the first document that waits there.
type Repeated = (u64, Vec<Outcome>);

/// What is known of a batch before it is evaluated: its length, and the documents that are not requests.
type Unworkables<E> = (usize, Vec<(usize, E)>);

/// Where each document goes.
struct Routes {
    release: Version,
    /// The kinds of the parameters of policies that existed before.
    parameters: Vec<GroupVersionKind>,
    count: u64,
}

impl Routes {
    /// Returns the position of the only evaluator that needs `prepared`, unless all do.
    fn only(&self, prepared: &Prepared) -> Option<usize> {
        let namespace = prepared.only_namespace(self.release, &self.parameters)?;
        Some(Shard::position(namespace, self.count))
    }

    /// Hands the documents of `batches` to the evaluators, until one of them has ended. A batch that never comes is one
    /// whose thread has panicked.
    fn distribute<E>(
        &self,
        batches: impl Iterator<Item = Receiver<Vec<Result<Prepared, E>>>>,
        evaluators: &[SyncSender<Vec<Task>>],
        order: &SyncSender<Option<Unworkables<E>>>,
    ) {
        let mut skipped = vec![0; evaluators.len()];
        for batch in batches {
            let Ok(batch) = batch.recv() else {
                let _ = order.send(None);
                return;
            };
            let mut tasks: Vec<Vec<Task>> = evaluators.iter().map(|_| Vec::new()).collect();
            let (count, mut unworkable) = (batch.len(), Vec::new());
            for (position, work) in batch.into_iter().enumerate() {
                let prepared = match work {
                    Ok(prepared) => prepared,
                    Err(error) => {
                        unworkable.push((position, error));
                        continue;
                    }
                };
                let task =
                    |skipped: &mut u64, prepared| Task { skipped: mem::take(skipped), position, prepared };
                if let Some(only) = self.only(&prepared) {
                    tasks[only].push(task(&mut skipped[only], prepared));
                    let others = skipped.iter_mut().enumerate().filter(|(number, _)| *number != only);
                    others.for_each(|(_, skipped)| *skipped += 1);
                } else {
                    for (tasks, skipped) in tasks.iter_mut().zip(&mut skipped) {
                        tasks.push(task(skipped, prepared.clone()));
                    }
                }
            }
            let is_sent = order.send(Some((count, unworkable))).is_ok()
                && evaluators.iter().zip(tasks).all(|(evaluator, tasks)| evaluator.send(tasks).is_ok());
            if !is_sent {
                return;
            }
        }
    }
}

/// Evaluates with one of the evaluators.
fn evaluate(
    evaluator: &mut Evaluator,
    batches: Receiver<Vec<Task>>,
    answers: &SyncSender<Answers>,
    repeated: &SyncSender<Repeated>,
) {
    for tasks in batches {
        let mut answered = Vec::new();
        for Task { skipped, position, prepared } in tasks {
            evaluator.skip_documents(skipped);
            let _ = evaluator.evaluate_next(Ok(prepared), &mut |answer: Result<Outcome, Unevaluated>| {
                if !answer.as_ref().is_ok_and(|outcome| outcome.is_elsewhere) {
                    answered.push((position, answer));
                }
                ControlFlow::Continue(())
            });
        }
        // The thread that writes packs the cluster of one evaluator alone.
        evaluator.cluster().pack();
        if answers.send(answered).is_err() {
            return;
        }
    }
    let mut namespace: Repeated = (0, Vec::new());
    evaluator.finish_in_order(|first, outcome| {
        if namespace.0 != first && !namespace.1.is_empty() {
            let _ = repeated.send(mem::take(&mut namespace));
        }
        namespace.0 = first;
        namespace.1.push(outcome);
    });
    if !namespace.1.is_empty() {
        let _ = repeated.send(namespace);
    }
}

/// Evaluates `batches` with all of `evaluators`, of which each has a shard. `take` gets what one evaluator for all
/// namespaces would pass on, in the same order.
pub(super) fn evaluate_all<E: From<Unevaluated> + Send>(
    batches: impl Iterator<Item = Receiver<Vec<Result<Prepared, E>>>> + Send,
    evaluators: Vec<&mut Evaluator>,
    take: &mut impl FnMut(Result<Outcome, E>) -> ControlFlow<()>,
) {
    let routes = Routes {
        release: evaluators[0].profile().release(),
        parameters: evaluators[0].parameter_kinds().collect(),
        count: evaluators.len().try_into().unwrap_or(u64::MAX),
    };
    thread::scope(|scope| {
        let named = |name: &str| thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
        let (order_sender, order) = sync_channel(AHEAD);
        let (mut inputs, mut outputs, mut threads) = (Vec::new(), Vec::new(), Vec::new());
        for evaluator in evaluators {
            let (input, tasks) = sync_channel(AHEAD);
            let (answer_sender, answers) = sync_channel(AHEAD);
            let (repeated_sender, repeated) = sync_channel(1);
            inputs.push(input);
            outputs.push((answers, repeated));
            let run = move || evaluate(evaluator, tasks, &answer_sender, &repeated_sender);
            threads.push(named("evaluator").spawn_scoped(scope, run).expect("a thread for each evaluator"));
        }
        let distribute = move || routes.distribute(batches, &inputs, &order_sender);
        threads.push(named("distributor").spawn_scoped(scope, distribute).expect("a thread"));
        let _ = merge(order, &outputs, take);
        // If the report can no longer be written, the evaluators wait for room, and nothing takes their answers.
        drop(outputs);
        for thread in threads {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// Passes the answers on in the order of the documents, and then those that controllers repeated. If a thread that
/// prepares or evaluates has panicked, nothing follows, since it would have gaps.
fn merge<E: From<Unevaluated>>(
    order: Receiver<Option<Unworkables<E>>>,
    outputs: &[(Receiver<Answers>, Receiver<Repeated>)],
    take: &mut impl FnMut(Result<Outcome, E>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for known in order {
        let Some((count, unworkable)) = known else { return ControlFlow::Break(()) };
        let mut batch: Vec<Option<Result<Outcome, E>>> = (0..count).map(|_| None).collect();
        for (position, error) in unworkable {
            batch[position] = Some(Err(error));
        }
        for (answers, _) in outputs {
            let Ok(answers) = answers.recv() else { return ControlFlow::Break(()) };
            for (position, answer) in answers {
                batch[position] = Some(answer.map_err(E::from));
            }
        }
        batch.into_iter().flatten().try_for_each(&mut *take)?;
    }
    let mut heads: Vec<_> = outputs.iter().map(|(_, repeated)| repeated.recv().ok()).collect();
    loop {
        let firsts = heads.iter().enumerate().filter_map(|(number, head)| Some((head.as_ref()?.0, number)));
        let Some((_, number)) = firsts.min() else { return ControlFlow::Continue(()) };
        let next = outputs[number].1.recv().ok();
        let (_, outcomes) = mem::replace(&mut heads[number], next).unwrap_or_default();
        outcomes.into_iter().map(Ok).try_for_each(&mut *take)?;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::admission::{
        Attributes, Chain, Handler, Link, Operation, Recorder, Refusal, ValidationInterface,
    };
    use crate::api_server::read_request;
    use crate::cli::{Exit, guarded};
    use crate::cluster::Cluster;
    use crate::evaluation::RequestDefaults;
    use gotext::source::SourceFile;
    use kube_api::decode::FieldValidation;
    use kube_api::server_profile::ServerProfile;

    /// The batches, and the documents of each.
    const BATCHES: usize = 40;
    const SIZE: usize = 8;

    /// A plugin with a bug.
    struct Broken;

    impl ValidationInterface for Broken {
        fn validate(&self, attributes: &Attributes, _: &mut Recorder) -> Result<(), Refusal> {
            assert_ne!(attributes.name, "c200");
            Ok(())
        }
    }

    /// Evaluates with three evaluators, whose chain has `links`; one batch may never come. Returns the status of the
    /// program, and the names that were passed on.
    fn evaluate_with(links: fn() -> Vec<Link>, missing: Option<usize>) -> (Exit, Vec<String>) {
        let names = Arc::new(Mutex::new(Vec::new()));
        let passed_on = names.clone();
        let exit = guarded(move || {
            let profile = Arc::new(ServerProfile::default());
            let mut evaluators: Vec<_> = Shard::all(3)
                .map(|shard| {
                    let cluster = Arc::new(Cluster::new());
                    Evaluator::new(cluster, Chain::new(links()), profile.clone(), false).for_shard(shard)
                })
                .collect();
            let defaults = RequestDefaults {
                namespace: "default".to_owned(),
                operation: None,
                apply: Arc::default(),
                user_info: Arc::default(),
                dry_run: false,
                field_validation: FieldValidation::Strict,
            };
            let prepared = |number: usize| {
                let text = format!(
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}, namespace: team-{}}}",
                    number % 7
                );
                let document = kube_yaml::read(&SourceFile::new("a.yaml", text)).next().expect("one");
                let item = document.expect("YAML").unwrap_list().pop().expect("an item");
                let request = read_request(item, &defaults).expect("a request");
                Ok(Prepared::new(request, &profile))
            };
            let batches = (0..BATCHES).map(|batch| {
                let (sender, receiver) = sync_channel(1);
                if Some(batch) != missing {
                    let documents: Vec<Result<Prepared, Unevaluated>> =
                        (batch * SIZE..(batch + 1) * SIZE).map(prepared).collect();
                    sender.send(documents).expect("room for one");
                }
                receiver
            });
            let batches: Vec<_> = batches.collect();
            evaluate_all(batches.into_iter(), evaluators.iter_mut().collect(), &mut |answer| {
                let outcome: Outcome = answer.expect("a known kind");
                passed_on.lock().expect("no test panics with it").push(outcome.name.clone());
                ControlFlow::Continue(())
            });
            Exit::Admitted
        });
        let names = names.lock().expect("no test panics with it").clone();
        (exit, names)
    }

    fn first(batches: usize) -> Vec<String> {
        (0..batches * SIZE).map(|number| format!("c{number}")).collect()
    }

    #[test]
    fn nothing_follows_what_a_panic_left_out() {
        assert_eq!(evaluate_with(Vec::new, None), (Exit::Admitted, first(BATCHES)));
        let broken = || {
            let handler = Handler::validating(Broken);
            vec![Link { name: "Broken", operations: &[Operation::Create], handler }]
        };
        assert_eq!(evaluate_with(broken, None), (Exit::Internal, first(200 / SIZE)));
        assert_eq!(evaluate_with(Vec::new, Some(3)).1, first(3));
    }
}
