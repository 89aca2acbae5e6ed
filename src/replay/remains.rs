//! What is left of judged requests: another thread frees it, and packs what exists, while the next ones are judged.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread;

use crate::api_server::STACK_SIZE;
use crate::cluster::Cluster;
use crate::evaluation::Outcome;
use crate::replay::event::Event;

/// The number of requests that are passed on together, and of such portions that may wait.
const PORTION: usize = 64;
const WAITING: usize = 8;

/// A request, and kadmit's answer.
type Judged = (Event, Option<Outcome>);

/// What was judged and not passed on.
#[derive(Debug, Default)]
pub(super) struct Remains {
    /// The clusters to pack.
    pub(super) clusters: Vec<Arc<Cluster>>,
    portion: Vec<Judged>,
    sender: Option<SyncSender<Vec<Judged>>>,
}

impl Remains {
    /// Returns the place for what is judged with the objects of `cluster`.
    pub(super) fn of(cluster: Arc<Cluster>) -> Self {
        Self { clusters: vec![cluster], ..Self::default() }
    }

    pub(super) fn push(&mut self, judged: Judged) {
        self.portion.push(judged);
        if self.portion.len() < PORTION {
            return;
        }
        let portion = std::mem::take(&mut self.portion);
        if self.sender.is_none() {
            self.sender = self.start();
        }
        // A portion that nothing takes is freed here.
        let sent = self.sender.as_ref().map(|sender| sender.try_send(portion));
        if let Some(Err(TrySendError::Disconnected(_))) = sent {
            self.sender = None;
        }
    }

    /// Starts the thread, which ends with this.
    fn start(&self) -> Option<SyncSender<Vec<Judged>>> {
        let (sender, portions) = sync_channel::<Vec<Judged>>(WAITING);
        let clusters = self.clusters.clone();
        let thread = thread::Builder::new().name("remains".to_owned()).stack_size(STACK_SIZE);
        let started = thread.spawn(move || {
            for portion in portions {
                drop(portion);
                for cluster in &clusters {
                    cluster.pack();
                }
            }
        });
        started.ok().map(|_| sender)
    }
}
