use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sqlx::SqliteConnection;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::clock::Clock;
use super::command::{Command, Expect, Submission, Verdict};
use super::content::Keep;
use super::error::StoreError;
use super::event::Event;
use super::group::{Facts, Group, LedgerHead, Salts, ThreadState};
use super::pack::Packed;
use super::record::Durability;
use super::state;
use crate::domain::ThreadId;

/// Commands waiting for the writer; more wait in their callers.
const QUEUE: usize = 1024;
/// The most commands of one transaction.
const GROUP_COMMANDS: usize = 512;
/// The most bytes of one transaction, roughly.
const GROUP_BYTES: usize = 1 << 20;
/// How long a caller waits for a place in the queue.
const QUEUE_WAIT: Duration = Duration::from_secs(30);
/// Threads whose state is kept from one transaction to the next.
const KNOWN_THREADS: usize = 1024;
/// How long an idempotency key is remembered, in ms: 30 days.
const CLAIM_AGE: i64 = 30 * 24 * 3600 * 1000;
/// How many are remembered.
const CLAIMS_KEPT: i64 = 100_000;
/// Old keys are forgotten after so many new ones, and with the first.
const CLAIMS_BETWEEN: usize = 4096;
/// Commits a slow listener may fall behind before it must read the ledger instead.
const COMMITS_KEPT: usize = 64;

/// What the writer is asked for.
enum Job {
    /// Events to add.
    Append(Submission),
    /// Content to keep.
    Keep(Keep, oneshot::Sender<Result<(), StoreError>>),
}

/// What one transaction added.
#[derive(Debug)]
pub struct Commit {
    /// Its events, in commit order.
    pub events: Vec<Arc<Event>>,
}

/// The way to the one task that writes.
#[derive(Clone)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
    commits: broadcast::Sender<Arc<Commit>>,
}

impl Writer {
    /// Starts the task; it ends, the connection closed, when every `Writer` is dropped or
    /// `closing` fires, after what was queued is committed.
    pub fn start(
        connection: SqliteConnection,
        clock: Clock,
        closing: CancellationToken,
        aside: Option<PathBuf>,
    ) -> (Self, tokio::task::JoinHandle<()>) {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let (commits, _) = broadcast::channel(COMMITS_KEPT);
        let task = WriterTask {
            connection,
            clock,
            commits: commits.clone(),
            head: None,
            known: HashMap::new(),
            durability: Durability::Process,
            salts: Salts::new(),
            claims: CLAIMS_BETWEEN,
            aside,
        };
        let handle = tokio::spawn(task.run(jobs, closing));
        (Self { queue, commits }, handle)
    }

    pub fn commits(&self) -> broadcast::Receiver<Arc<Commit>> {
        self.commits.subscribe()
    }

    /// Queues a command, in order with those before it, and returns where its verdict arrives.
    pub async fn submit(
        &self,
        command: Command,
    ) -> Result<oneshot::Receiver<Result<Verdict, StoreError>>, StoreError> {
        let (reply, verdict) = oneshot::channel();
        self.queue(Job::Append(Submission { command, reply }))
            .await?;
        Ok(verdict)
    }

    /// Keeps a piece of content; committed on return.
    pub async fn keep(&self, keep: Keep) -> Result<(), StoreError> {
        let (reply, kept) = oneshot::channel();
        self.queue(Job::Keep(keep, reply)).await?;
        kept.await.map_err(|_| StoreError::Closing)?
    }

    async fn queue(&self, job: Job) -> Result<(), StoreError> {
        // A timer costs more than the usual case, in which there is room.
        let job = match self.queue.try_send(job) {
            Ok(()) => return Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => return Err(StoreError::Closing),
            Err(mpsc::error::TrySendError::Full(job)) => job,
        };
        match self.queue.send_timeout(job, QUEUE_WAIT).await {
            Ok(()) => Ok(()),
            Err(mpsc::error::SendTimeoutError::Closed(_)) => Err(StoreError::Closing),
            Err(mpsc::error::SendTimeoutError::Timeout(_)) => Err(StoreError::Overloaded {
                retry_after_ms: 1000,
            }),
        }
    }

    /// Queues a command and waits for its verdict.
    pub async fn execute(&self, command: Command) -> Result<Verdict, StoreError> {
        let verdict = self.submit(command).await?;
        verdict.await.map_err(|_| StoreError::Closing)?
    }
}

struct WriterTask {
    connection: SqliteConnection,
    clock: Clock,
    commits: broadcast::Sender<Arc<Commit>>,
    /// Where the ledger ended after our last commit; `None` when that must be read.
    head: Option<LedgerHead>,
    /// Threads as our last commit that touched them left them. Another process may have gone on
    /// since; then its commit took our next number and the group is planned again.
    known: HashMap<ThreadId, Option<ThreadState>>,
    durability: Durability,
    salts: Salts,
    /// Claims since old ones were forgotten.
    claims: usize,
    /// A damaged database that was set aside: its keys are not known any more.
    aside: Option<PathBuf>,
}

type Verdicts = Vec<Result<Verdict, StoreError>>;

impl WriterTask {
    async fn run(mut self, mut jobs: mpsc::Receiver<Job>, closing: CancellationToken) {
        loop {
            let first = tokio::select! {
                biased;
                first = jobs.recv() => first,
                () = closing.cancelled() => {
                    jobs.close();
                    jobs.recv().await
                }
            };
            let Some(first) = first else { break };
            // Whoever was woken with the caller gets its turn to join the transaction; with nobody about
            // this costs a look at the queue.
            tokio::task::yield_now().await;
            let (batch, keeps) = drain(first, &mut jobs);
            if !batch.is_empty() {
                self.claims += batch
                    .iter()
                    .filter(|one| one.command.claim.is_some())
                    .count();
                self.commit(batch).await;
            }
            if self.claims > CLAIMS_BETWEEN {
                self.forget_claims().await;
            }
            for (keep, reply) in keeps {
                // A caller that went away no longer wants to know.
                let _ = reply.send(self.keep(keep).await);
            }
        }
        if let Err(error) = sqlx::Connection::close(self.connection).await {
            tracing::warn!(%error, "the database did not close cleanly; the next start repairs it");
        }
    }

    async fn forget_claims(&mut self) {
        self.claims = 0;
        let before = self.clock.now().millis() - CLAIM_AGE;
        let forgotten = sqlx::query_file!("queries/prune_idempotency.sql", before, CLAIMS_KEPT)
            .execute(&mut self.connection)
            .await;
        if let Err(error) = forgotten {
            tracing::warn!(%error, "old idempotency keys stay for now");
        }
    }

    async fn keep(&mut self, keep: Keep) -> Result<(), StoreError> {
        self.set_durability(Durability::Process).await?;
        match keep {
            Keep::Piece {
                digest,
                position,
                bytes,
            } => {
                let digest = &digest.as_bytes()[..];
                sqlx::query_file!("queries/insert_content_chunk.sql", digest, position, bytes)
                    .execute(&mut self.connection)
                    .await?;
            }
            Keep::Whole { digest, bytes } => {
                let digest = &digest.as_bytes()[..];
                let at = self.clock.now().millis();
                sqlx::query_file!("queries/insert_content.sql", digest, bytes, at)
                    .execute(&mut self.connection)
                    .await?;
            }
        }
        Ok(())
    }

    async fn commit(&mut self, batch: Vec<Submission>) {
        let (commands, replies): (Vec<_>, Vec<_>) = batch
            .into_iter()
            .map(|submission| (submission.command, submission.reply))
            .unzip();
        let verdicts = self.carry_out(&commands).await;
        for (reply, verdict) in replies.into_iter().zip(verdicts) {
            // A caller that went away no longer wants to know.
            let _ = reply.send(verdict);
        }
    }

    /// Carries out a batch as one transaction. When the database refuses the whole, each command
    /// gets a transaction of its own, so that one bad command takes nobody with it.
    async fn carry_out(&mut self, commands: &[Command]) -> Verdicts {
        if let Some(verdicts) = self.by_what_is_known(commands).await {
            return verdicts;
        }
        match self.under_lock(commands).await {
            Ok(verdicts) => verdicts,
            Err(error) if commands.len() == 1 => vec![Err(refusal(&error))],
            Err(_) => {
                let mut verdicts = Vec::with_capacity(commands.len());
                for command in commands {
                    let alone = self.under_lock(std::slice::from_ref(command)).await;
                    match alone {
                        Ok(mut verdict) => verdicts.append(&mut verdict),
                        Err(error) => verdicts.push(Err(refusal(&error))),
                    }
                }
                verdicts
            }
        }
    }

    /// The fast way: judge by what is known and write in one statement. `None` when something is
    /// not known, a command would be refused, or another process was faster.
    async fn by_what_is_known(&mut self, commands: &[Command]) -> Option<Verdicts> {
        let known = |command: &Command| {
            matches!(command.expect, Expect::Turn(_))
                && command.claim.is_none()
                && self.known.contains_key(&command.thread)
        };
        if !commands.iter().all(known) {
            return None;
        }
        let mut group = Group::new(self.head?, self.clock.now());
        let mut verdicts = Vec::with_capacity(commands.len());
        for command in commands {
            let state = self.known.get(&command.thread)?;
            group
                .threads
                .entry(command.thread.clone())
                .or_insert_with(|| state.clone());
            let verdict = group
                .plan(command, &Facts::default(), &mut self.salts)
                .ok()?;
            verdicts.push(Ok(verdict));
        }
        self.set_durability(group.durability).await.ok()?;
        if let Err(error) = self.write(&group).await {
            tracing::debug!(%error, "the group is planned again under the lock");
            self.roll_back().await;
            return None;
        }
        self.publish(group);
        Some(verdicts)
    }

    /// The sure way: take the write lock, read what is true, judge, write.
    async fn under_lock(&mut self, commands: &[Command]) -> Result<Verdicts, sqlx::Error> {
        let durability = commands.iter().map(|command| command.durability).max();
        self.set_durability(durability.unwrap_or(Durability::Power))
            .await?;
        sqlx::query_file!("queries/begin_group.sql")
            .execute(&mut self.connection)
            .await?;
        let done = self.locked(commands).await;
        match done {
            Ok((group, verdicts)) => {
                sqlx::query_file!("queries/commit_group.sql")
                    .execute(&mut self.connection)
                    .await?;
                self.publish(group);
                Ok(verdicts)
            }
            Err(error) => {
                self.roll_back().await;
                Err(error)
            }
        }
    }

    async fn locked(&mut self, commands: &[Command]) -> Result<(Group, Verdicts), sqlx::Error> {
        let head = state::ledger_head(&mut self.connection).await?;
        if self.head != Some(head) {
            self.known.clear();
        }
        let mut group = Group::new(head, self.clock.now());
        let mut verdicts = Vec::with_capacity(commands.len());
        for command in commands {
            if !group.threads.contains_key(&command.thread) {
                let state = match self.known.get(&command.thread) {
                    Some(known) => known.clone(),
                    None => state::thread_state(&mut self.connection, &command.thread).await?,
                };
                group.threads.insert(command.thread.clone(), state);
            }
            let facts = state::facts(&mut self.connection, command).await?;
            verdicts.push(match self.forgotten(command, &facts) {
                Some(error) => Err(error),
                None => group.plan(command, &facts, &mut self.salts),
            });
        }
        if !group.events.is_empty() {
            self.write(&group).await?;
        }
        Ok((group, verdicts))
    }

    /// A new key may be an old one, while there is a database beside this one that may know it.
    fn forgotten(&self, command: &Command, facts: &Facts) -> Option<StoreError> {
        let aside = self.aside.as_ref().filter(|aside| aside.exists())?;
        let claim = command.claim.as_ref().filter(|_| facts.claimed.is_none())?;
        Some(StoreError::KeyForgotten {
            key: claim.key.to_string(),
            aside: aside.clone(),
        })
    }

    async fn write(&mut self, group: &Group) -> Result<(), sqlx::Error> {
        let packed = Packed::of(group);
        let commit = group.seal();
        let (at, root, prev, hash) = (
            commit.at.millis(),
            &commit.root.as_bytes()[..],
            &commit.prev_hash.as_bytes()[..],
            &commit.hash.as_bytes()[..],
        );
        sqlx::query_file!(
            "queries/append_group.sql",
            packed.payloads,
            packed.salts,
            packed.payload_digests,
            packed.prev_hashes,
            packed.hashes,
            packed.rows,
            commit.commit_id,
            at,
            commit.first_event_id,
            commit.last_event_id,
            root,
            prev,
            hash
        )
        .execute(&mut self.connection)
        .await?;
        Ok(())
    }

    /// Remembers what the committed group led to, then tells whoever listens.
    fn publish(&mut self, group: Group) {
        let head = if group.events.is_empty() {
            group.head
        } else {
            let commit = group.seal();
            LedgerHead {
                commit_id: commit.commit_id,
                event_id: commit.last_event_id,
                hash: commit.hash,
            }
        };
        self.head = Some(head);
        if self.known.len() + group.threads.len() > KNOWN_THREADS {
            self.known.clear();
        }
        self.known.extend(group.threads);
        if !group.events.is_empty() {
            // Without a listener there is nobody to tell.
            let _ = self.commits.send(Arc::new(Commit {
                events: group.events,
            }));
        }
    }

    /// The database runs this pragma while it prepares it, so it must not come from the cache of
    /// prepared statements.
    async fn set_durability(&mut self, durability: Durability) -> Result<(), sqlx::Error> {
        if self.durability == durability {
            return Ok(());
        }
        let pragma = match durability {
            Durability::Power => sqlx::query_file!("queries/synchronous_full.sql"),
            Durability::Process => sqlx::query_file!("queries/synchronous_normal.sql"),
        };
        pragma
            .persistent(false)
            .execute(&mut self.connection)
            .await?;
        self.durability = durability;
        Ok(())
    }

    /// Ends a failed transaction. Where none is open the database says so, which changes nothing.
    async fn roll_back(&mut self) {
        self.head = None;
        let rolled_back = sqlx::query_file!("queries/rollback_group.sql")
            .execute(&mut self.connection)
            .await;
        if let Err(error) = rolled_back {
            tracing::debug!(%error, "no transaction was open");
        }
    }
}

type Keeps = Vec<(Keep, oneshot::Sender<Result<(), StoreError>>)>;

/// What is queued now, up to the bounds of a transaction; never waits. Content is kept after the
/// events queued with it: nothing names it before it is whole.
fn drain(first: Job, jobs: &mut mpsc::Receiver<Job>) -> (Vec<Submission>, Keeps) {
    let (mut batch, mut keeps, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut next = Some(first);
    while let Some(job) = next {
        match job {
            Job::Append(submission) => {
                bytes += submission.command.bytes();
                batch.push(submission);
            }
            Job::Keep(keep, reply) => {
                bytes += GROUP_BYTES;
                keeps.push((keep, reply));
            }
        }
        let room = batch.len() < GROUP_COMMANDS && bytes < GROUP_BYTES;
        next = if room { jobs.try_recv().ok() } else { None };
    }
    (batch, keeps)
}

/// `SQLITE_CONSTRAINT`, the low byte of every code that says a rule of the schema was broken.
const CONSTRAINT: u32 = 19;

/// What a command's own transaction failing means to its caller.
fn refusal(error: &sqlx::Error) -> StoreError {
    let Some(refused) = error.as_database_error() else {
        return StoreError::Database(error.to_string());
    };
    let code = refused.code().and_then(|code| code.parse::<u32>().ok());
    match code.map(|code| code & 0xff) {
        Some(CONSTRAINT) => StoreError::Refused(refused.message().to_owned()),
        _ => StoreError::Database(refused.message().to_owned()),
    }
}
