use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio_util::sync::CancellationToken;

use super::approver::HostApprover;
use super::holds::Holds;
use super::projection::{Lines, Projector};
use crate::domain::EventId;
use crate::store::{Commit, Event, EventType, Store, StoreError};
use crate::transport::Outbox;

/// Bytes of events kept in memory for a host that reads slowly; beyond that only their places in
/// the ledger are.
const KEPT_BYTES: usize = 1 << 20;
/// Bytes of an event besides its payload, roughly.
const EVENT_BYTES: usize = 512;
/// Bytes of notifications put together before they are passed on.
const CHUNK_BYTES: usize = 64 * 1024;
/// Events read from the ledger at once.
const READ_EVENTS: usize = 64;
/// How long until the ledger is read again after it could not be.
const READ_AGAIN: Duration = Duration::from_millis(100);
/// Ranges of the ledger remembered; beyond that neighbours are joined, and what another process
/// wrote between them is told as well.
const RANGES_KEPT: usize = 4096;

/// Tells the host of every event this process commits, once and in order.
pub(super) struct Router {
    pub store: Store,
    pub commits: broadcast::Receiver<Arc<Commit>>,
    /// The last event heard of: when work begins, the last of the ledger.
    pub seen: EventId,
    pub outbox: Outbox,
    pub holds: Arc<Holds>,
    pub approver: Arc<HostApprover>,
    /// Fires when what is committed by then is all there is to tell.
    pub finish: CancellationToken,
}

/// What is committed and not yet told, in order.
#[derive(Default)]
struct Untold {
    parts: VecDeque<Part>,
    kept_bytes: usize,
}

enum Part {
    /// In memory.
    Kept(VecDeque<Arc<Event>>),
    /// In the ledger: from the first to the last.
    Ledger(EventId, EventId),
}

impl Untold {
    /// Takes events that are in memory and come first, `limit` at most.
    fn take_kept(&mut self, limit: usize) -> Vec<Arc<Event>> {
        let mut taken = Vec::new();
        while let Some(Part::Kept(events)) = self.parts.front_mut() {
            let count = events.len().min(limit - taken.len());
            taken.extend(events.drain(..count));
            if !events.is_empty() {
                break;
            }
            self.parts.pop_front();
        }
        self.kept_bytes -= taken.iter().map(|event| size(event)).sum::<usize>();
        taken
    }

    /// The range of the ledger that comes first.
    fn range(&self) -> Option<(EventId, EventId)> {
        match self.parts.front() {
            Some(Part::Ledger(first, last)) => Some((*first, *last)),
            _ => None,
        }
    }

    /// The range that comes first was read up to its event before `next`.
    fn read_up_to(&mut self, next: EventId) {
        if let Some(Part::Ledger(first, last)) = self.parts.front_mut() {
            *first = next;
            if next > *last {
                self.parts.pop_front();
            }
        }
    }

    fn add(&mut self, commit: &Commit) {
        let bytes: usize = commit.events.iter().map(|event| size(event)).sum();
        let (Some(first), Some(last)) = (commit.events.first(), commit.events.last()) else {
            return;
        };
        let behind = matches!(self.parts.back(), Some(Part::Ledger(..)));
        if behind || self.kept_bytes + bytes > KEPT_BYTES {
            self.add_range(first.event_id, last.event_id);
        } else {
            self.kept_bytes += bytes;
            let events = commit.events.iter().cloned().collect();
            self.parts.push_back(Part::Kept(events));
        }
    }

    fn add_range(&mut self, first: EventId, last: EventId) {
        let crowded = self.parts.len() >= RANGES_KEPT;
        match self.parts.back_mut() {
            Some(Part::Ledger(_, end)) if *end + 1 == first || crowded => *end = last,
            _ => self.parts.push_back(Part::Ledger(first, last)),
        }
    }
}

fn size(event: &Event) -> usize {
    EVENT_BYTES + event.payload.as_ref().map_or(0, |payload| payload.len())
}

impl Router {
    /// Works until [`Router::finish`] fires and all is told, or nobody reads any more.
    pub async fn run(self) {
        let mut work = Work {
            projector: Projector::new(self.store.clone()),
            router: self,
            untold: Untold::default(),
            missed: false,
        };
        work.run().await;
    }
}

/// A router at work.
struct Work {
    router: Router,
    projector: Projector,
    untold: Untold,
    /// Commits went by unheard; the next one shows which.
    missed: bool,
}

impl Work {
    async fn run(&mut self) {
        let mut finishing = false;
        while !(finishing && self.untold.parts.is_empty()) {
            let more = !self.untold.parts.is_empty();
            let Router {
                commits,
                outbox,
                finish,
                ..
            } = &mut self.router;
            tokio::select! {
                heard = commits.recv(), if !finishing => match heard {
                    Ok(commit) => self.hear(&commit),
                    Err(RecvError::Lagged(_)) => self.missed = true,
                    Err(RecvError::Closed) => finishing = true,
                },
                () = finish.cancelled(), if !finishing => finishing = true,
                room = outbox.room_for_events(), if more => {
                    if outbox.has_ended() {
                        return;
                    }
                    self.tell(room).await;
                }
            }
            self.hear_rest();
        }
    }

    /// Hears what else is committed by now.
    fn hear_rest(&mut self) {
        loop {
            match self.router.commits.try_recv() {
                Ok(commit) => self.hear(&commit),
                Err(TryRecvError::Lagged(_)) => self.missed = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    fn hear(&mut self, commit: &Commit) {
        let (Some(first), Some(last)) = (commit.events.first(), commit.events.last()) else {
            return;
        };
        // Commits of other processes leave gaps as well, which are not ours to tell.
        if std::mem::take(&mut self.missed) && first.event_id - 1 > self.router.seen {
            self.untold
                .add_range(self.router.seen + 1, first.event_id - 1);
        }
        self.router.seen = last.event_id;
        self.untold.add(commit);
    }

    /// Tells what comes first, `room` events at most.
    async fn tell(&mut self, room: usize) {
        let events = match self.untold.range() {
            None => self.untold.take_kept(room),
            Some((first, last)) => match self.read(first, last, room.min(READ_EVENTS)).await {
                Ok(events) => events,
                Err(error) => {
                    tracing::error!(%error, "the ledger cannot be read; the host waits");
                    tokio::time::sleep(READ_AGAIN).await;
                    return;
                }
            },
        };
        let mut lines = Lines::default();
        for event in events {
            if let Some(cause) = self.router.holds.cause(&event) {
                self.pass_on(&mut lines);
                self.router.holds.wait(&cause).await;
            }
            if let Err(error) = self.projector.tell(&event, &mut lines).await {
                let id = event.event_id;
                tracing::error!(event = id, %error, "an event cannot be told");
            }
            if event.known_type() == Some(EventType::ApprovalRequested)
                && let Some(approval) = &event.approval
            {
                self.pass_on(&mut lines);
                self.router.approver.tell(approval);
            }
            if lines.bytes.len() >= CHUNK_BYTES {
                self.pass_on(&mut lines);
            }
        }
        self.pass_on(&mut lines);
    }

    async fn read(
        &mut self,
        first: EventId,
        last: EventId,
        limit: usize,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let mut events = self.router.store.events_after(first - 1, limit).await?;
        events.retain(|event| event.event_id <= last);
        let next = events.last().map_or(last, |event| event.event_id) + 1;
        self.untold.read_up_to(next);
        Ok(events.into_iter().map(Arc::new).collect())
    }

    fn pass_on(&self, lines: &mut Lines) {
        let Lines { bytes, messages } = std::mem::take(lines);
        if messages > 0 {
            self.router.outbox.add_events(bytes, messages);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::store::{NewThread, StoreOptions};
    use crate::transport::OutputLimits;

    async fn start_threads(store: &Store, names: std::ops::Range<usize>) {
        for n in names {
            let new = NewThread {
                id: Some(format!("t{n}").parse().unwrap()),
                ..NewThread::default()
            };
            store.start_thread(new).await.unwrap();
        }
    }

    /// More commits than are kept for a listener: what was missed is read from the ledger, and
    /// what was before the connection is not told.
    #[tokio::test]
    async fn commits_that_went_by_unheard_are_told_all_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let options = StoreOptions::new(dir.path().join("state"));
        let store = Store::open(options).await.unwrap().store;
        start_threads(&store, 0..3).await;
        let outbox = Outbox::new(OutputLimits {
            messages: 512,
            bytes: 1 << 20,
            stall: Duration::from_secs(30),
        });
        let router = Router {
            commits: store.commits().unwrap(),
            seen: store.last_event_id().await.unwrap(),
            outbox: outbox.clone(),
            holds: Arc::default(),
            approver: Arc::new(HostApprover::new(outbox.clone())),
            finish: CancellationToken::new(),
            store: store.clone(),
        };
        let finish = router.finish.clone();
        start_threads(&store, 3..203).await;
        finish.cancel();
        let (near, mut far) = tokio::io::duplex(1024);
        let telling = async {
            router.run().await;
            outbox.close();
        };
        let mut text = String::new();
        let (_, (), read) = tokio::join!(
            outbox.write_to(near),
            telling,
            far.read_to_string(&mut text)
        );
        read.unwrap();
        let told = text.lines().map(|line| {
            let message: Value = serde_json::from_str(line).unwrap();
            message["params"]["thread"]["id"]
                .as_str()
                .unwrap()
                .to_owned()
        });
        let expected = (3..203).map(|n| format!("t{n}"));
        assert!(told.eq(expected), "{text}");
    }
}
