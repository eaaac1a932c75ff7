use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

/// Bytes written at once, where there are as many.
const BATCH: usize = 64 * 1024;

/// How much may wait to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    /// Messages.
    pub messages: usize,
    /// Bytes. One message larger than that may wait alone.
    pub bytes: usize,
    /// How long nothing may be taken from us before the reader counts as dead.
    pub stall: Duration,
}

impl OutputLimits {
    /// Of the messages, those that events leave to responses: as many as can be at work, and
    /// refusals besides.
    const FOR_RESPONSES: usize = 128;

    /// Events wait in the ledger when this much waits here.
    const fn for_events(&self) -> (usize, usize) {
        let messages = self.messages.saturating_sub(Self::FOR_RESPONSES);
        (if messages == 0 { 1 } else { messages }, self.bytes / 2)
    }
}

/// Why nothing is written any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// We are done; everything was written.
    #[error("everything was written")]
    Done,
    /// The other side took nothing for too long.
    #[error("the host took nothing for {} s", .0.as_secs())]
    Stalled(Duration),
    /// The other side is gone.
    #[error("the host closed its end ({0})")]
    Closed(io::ErrorKind),
}

/// What waits to be written, in order. Clones share it.
#[derive(Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

struct Shared {
    limits: OutputLimits,
    waiting: Mutex<Waiting>,
    /// Something was added, or nothing will be any more.
    added: Notify,
    /// Something was written, or writing ended.
    written: Notify,
}

#[derive(Default)]
struct Waiting {
    chunks: VecDeque<Chunk>,
    /// Of all that is not yet written, what is being written included.
    messages: usize,
    bytes: usize,
    closing: bool,
    ended: bool,
}

struct Chunk {
    lines: Vec<u8>,
    messages: usize,
}

impl Outbox {
    /// An empty one.
    pub fn new(limits: OutputLimits) -> Self {
        Self {
            shared: Arc::new(Shared {
                limits,
                waiting: Mutex::default(),
                added: Notify::new(),
                written: Notify::new(),
            }),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.shared
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one message when there is room for it. False: nobody will read it.
    pub async fn send(&self, line: Vec<u8>) -> bool {
        let limits = self.shared.limits;
        let size = line.len();
        self.when(|waiting| {
            let room = waiting.messages < limits.messages && waiting.bytes + size <= limits.bytes;
            room || waiting.messages == 0
        })
        .await;
        self.add(line, 1)
    }

    /// Adds the notifications of events; their author waited for [`Outbox::room_for_events`].
    pub fn add_events(&self, lines: Vec<u8>, messages: usize) {
        self.add(lines, messages);
    }

    /// Waits until events may be added, and says how many messages may.
    pub async fn room_for_events(&self) -> usize {
        let (messages, bytes) = self.shared.limits.for_events();
        self.when(|waiting| waiting.messages < messages && waiting.bytes < bytes)
            .await;
        messages.saturating_sub(self.waiting().messages).max(1)
    }

    /// Waits until one more message of any kind may be added.
    pub async fn room(&self) {
        let limits = self.shared.limits;
        self.when(|waiting| waiting.messages < limits.messages && waiting.bytes < limits.bytes)
            .await;
    }

    /// True once nothing is written any more.
    pub fn has_ended(&self) -> bool {
        self.waiting().ended
    }

    /// Nothing more is added; what waits is written, and then [`Outbox::write_to`] returns.
    pub fn close(&self) {
        self.waiting().closing = true;
        self.shared.added.notify_one();
    }

    fn add(&self, lines: Vec<u8>, messages: usize) -> bool {
        let mut waiting = self.waiting();
        if waiting.ended || waiting.closing {
            return false;
        }
        waiting.messages += messages;
        waiting.bytes += lines.len();
        waiting.chunks.push_back(Chunk { lines, messages });
        drop(waiting);
        self.shared.added.notify_one();
        true
    }

    /// Waits until `fits`, or nothing is written any more.
    async fn when(&self, fits: impl Fn(&Waiting) -> bool) {
        loop {
            let mut written = std::pin::pin!(self.shared.written.notified());
            written.as_mut().enable();
            {
                let waiting = self.waiting();
                if waiting.ended || fits(&waiting) {
                    return;
                }
            }
            written.await;
        }
    }

    /// Writes what is added until [`Outbox::close`], or until nobody takes it any more.
    pub async fn write_to(&self, mut output: impl AsyncWrite + Unpin) -> Ended {
        let ended = loop {
            let Some((batch, messages)) = self.next_batch().await else {
                break Ended::Done;
            };
            if let Err(ended) = self.write(&mut output, &batch).await {
                break ended;
            }
            let mut waiting = self.waiting();
            waiting.messages -= messages;
            waiting.bytes -= batch.len();
            drop(waiting);
            self.shared.written.notify_waiters();
        };
        let mut waiting = self.waiting();
        waiting.ended = true;
        waiting.chunks.clear();
        drop(waiting);
        self.shared.written.notify_waiters();
        ended
    }

    /// What waits, up to the size of a batch; `None` when nothing more will come.
    async fn next_batch(&self) -> Option<(Vec<u8>, usize)> {
        loop {
            {
                let mut waiting = self.waiting();
                if let Some(batch) = waiting.take_batch() {
                    return Some(batch);
                }
                if waiting.closing {
                    return None;
                }
            }
            self.shared.added.notified().await;
        }
    }

    async fn write(
        &self,
        output: &mut (impl AsyncWrite + Unpin),
        mut batch: &[u8],
    ) -> Result<(), Ended> {
        let stall = self.shared.limits.stall;
        let closed = |error: io::Error| Ended::Closed(error.kind());
        while !batch.is_empty() {
            let write = tokio::time::timeout(stall, output.write(batch));
            match write.await.map_err(|_| Ended::Stalled(stall))? {
                Ok(0) => return Err(Ended::Closed(io::ErrorKind::WriteZero)),
                Ok(written) => batch = &batch[written..],
                Err(error) => return Err(closed(error)),
            }
        }
        let flush = tokio::time::timeout(stall, output.flush());
        flush
            .await
            .map_err(|_| Ended::Stalled(stall))?
            .map_err(closed)
    }
}

impl Waiting {
    fn take_batch(&mut self) -> Option<(Vec<u8>, usize)> {
        let Chunk {
            mut lines,
            mut messages,
        } = self.chunks.pop_front()?;
        while let Some(next) = self.chunks.front()
            && lines.len() + next.lines.len() <= BATCH
        {
            lines.extend_from_slice(&next.lines);
            messages += next.messages;
            self.chunks.pop_front();
        }
        Some((lines, messages))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    const LIMITS: OutputLimits = OutputLimits {
        messages: 130,
        bytes: 1000,
        stall: Duration::from_secs(30),
    };

    fn line(size: usize) -> Vec<u8> {
        vec![b'x'; size]
    }

    /// True when `future` is not ready now.
    async fn waits(future: impl Future) -> bool {
        tokio::time::timeout(Duration::from_millis(1), future)
            .await
            .is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_added_is_written_in_order_and_closing_writes_the_rest() {
        let outbox = Outbox::new(LIMITS);
        let (near, mut far) = tokio::io::duplex(8);
        for text in ["one\n", "two\n", "three\n"] {
            assert!(outbox.send(text.into()).await);
        }
        outbox.close();
        assert!(!outbox.send(line(1)).await);
        let mut read = String::new();
        let (ended, _) = tokio::join!(outbox.write_to(near), far.read_to_string(&mut read));
        assert_eq!((ended, read.as_str()), (Ended::Done, "one\ntwo\nthree\n"));
    }

    #[tokio::test(start_paused = true)]
    async fn events_leave_room_for_responses_and_nothing_goes_over_the_limits() {
        let outbox = Outbox::new(LIMITS);
        assert_eq!(outbox.room_for_events().await, 2);
        outbox.add_events(line(2), 2);
        assert!(waits(outbox.room_for_events()).await);
        for _ in 2..LIMITS.messages {
            assert!(outbox.send(line(1)).await);
        }
        assert!(waits(outbox.send(line(1))).await);
        assert!(waits(outbox.room()).await);

        let outbox = Outbox::new(LIMITS);
        assert!(outbox.send(line(LIMITS.bytes * 3)).await, "alone it may");
        assert!(waits(outbox.send(line(1))).await);
        assert!(waits(outbox.room_for_events()).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_nothing_is_dead_and_one_that_takes_little_is_not() {
        let outbox = Outbox::new(LIMITS);
        outbox.add_events(line(120), 1);
        let (near, mut far) = tokio::io::duplex(10);
        let begun = tokio::time::Instant::now();
        let slow = async {
            for _ in 0..9 {
                tokio::time::sleep(Duration::from_secs(29)).await;
                far.read_exact(&mut [0; 10]).await.unwrap();
            }
        };
        let (ended, ()) = tokio::join!(outbox.write_to(near), slow);
        assert_eq!(ended, Ended::Stalled(LIMITS.stall));
        assert!(begun.elapsed() > Duration::from_secs(9 * 29));
        assert!(outbox.has_ended() && !outbox.send(line(1)).await);
    }

    #[tokio::test]
    async fn a_reader_that_is_gone_ends_it() {
        let outbox = Outbox::new(LIMITS);
        outbox.add_events(line(1), 1);
        let (near, far) = tokio::io::duplex(10);
        drop(far);
        let ended = outbox.write_to(near).await;
        assert_eq!(ended, Ended::Closed(io::ErrorKind::BrokenPipe));
    }
}
