use std::collections::HashMap;
use std::sync::Arc;

use super::command::{Command, Expect, Fence, Verdict};
use super::error::StoreError;
use super::event::{Event, EventType, NewEvent};
use super::ledger::{CommitRecord, commit_hash, event_hash, merkle_root, payload_digest};
use super::record::{Claim, Durability, Place};
use crate::domain::{Digest, EventId, EventSeq, ThreadId, Timestamp, TurnId};

/// What the writer knows of a thread.
#[derive(Debug, Clone)]
pub(super) struct ThreadState {
    pub archived: bool,
    pub active: Option<Fence>,
    pub seq: EventSeq,
    pub head: Digest,
}

/// Where the ledger ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LedgerHead {
    pub commit_id: i64,
    pub event_id: EventId,
    pub hash: Digest,
}

impl LedgerHead {
    /// The head of an empty ledger.
    pub const EMPTY: Self = Self {
        commit_id: 0,
        event_id: 0,
        hash: Digest::ZERO,
    };
}

/// What was found of an idempotency key.
#[derive(Debug, Clone)]
pub(super) struct Claimed {
    pub digest: Digest,
    pub thread: ThreadId,
    pub turn: Option<TurnId>,
}

/// What a command needs to be judged. `None` in `thread` means that it does not exist.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub claimed: Option<Claimed>,
    pub turn_taken: bool,
}

/// A transaction being put together: commands are judged and their events chained in memory, then
/// written in one statement.
pub(super) struct Group {
    pub head: LedgerHead,
    pub events: Vec<Arc<Event>>,
    /// The salt of each event.
    pub salts: Vec<[u8; 16]>,
    pub durability: Durability,
    /// States the group leads to, by thread; `None`: the thread does not exist.
    pub threads: HashMap<ThreadId, Option<ThreadState>>,
    /// Keys claimed within the group.
    claims: HashMap<(String, String), Claimed>,
    turns: Vec<TurnId>,
    at: Timestamp,
    scratch: String,
}

impl Group {
    pub fn new(head: LedgerHead, at: Timestamp) -> Self {
        Self {
            head,
            events: Vec::new(),
            salts: Vec::new(),
            durability: Durability::Process,
            threads: HashMap::new(),
            claims: HashMap::new(),
            turns: Vec::new(),
            at,
            scratch: String::new(),
        }
    }

    /// Judges `command` and, if it may, adds its events. The state of its thread must be in
    /// `threads`. A refused command leaves the group as it was.
    pub fn plan(
        &mut self,
        command: &Command,
        facts: &Facts,
        salts: &mut Salts,
    ) -> Result<Verdict, StoreError> {
        if let Some(repeated) = self.repeated(command, facts)? {
            return Ok(repeated);
        }
        let state = self.threads.get(&command.thread).cloned().flatten();
        let Some(mut state) = admit(command, state)? else {
            return Ok(Verdict::Exists);
        };
        if let Expect::IdleFor(fence, _) = &command.expect
            && (facts.turn_taken || self.turns.contains(&fence.turn))
        {
            return Err(StoreError::TurnExists(fence.turn.clone()));
        }
        for new in &command.events {
            let salt = salts.next()?;
            self.chain(command, new, salt, &mut state);
        }
        self.durability = self.durability.max(command.durability);
        if let Expect::IdleFor(fence, _) = &command.expect {
            self.turns.push(fence.turn.clone());
        }
        self.remember_claim(command);
        let place = Place {
            event_id: self.head.event_id + EventId::try_from(self.events.len()).unwrap_or(0),
            seq: state.seq,
            hash: state.head,
        };
        self.threads.insert(command.thread.clone(), Some(state));
        Ok(Verdict::Committed(place))
    }

    fn repeated(&self, command: &Command, facts: &Facts) -> Result<Option<Verdict>, StoreError> {
        let Some(claim) = &command.claim else {
            return Ok(None);
        };
        let known = self.claims.get(&name(claim)).or(facts.claimed.as_ref());
        match known {
            None => Ok(None),
            Some(claimed) if claimed.digest == claim.digest => Ok(Some(Verdict::Repeated {
                thread: claimed.thread.clone(),
                turn: claimed.turn.clone(),
            })),
            Some(_) => Err(StoreError::KeyReused {
                method: claim.method.clone(),
                key: claim.key.to_string(),
            }),
        }
    }

    fn remember_claim(&mut self, command: &Command) {
        if let Some(claim) = &command.claim {
            let claimed = Claimed {
                digest: claim.digest,
                thread: command.thread.clone(),
                turn: command.turn.clone(),
            };
            self.claims.insert(name(claim), claimed);
        }
    }

    fn chain(
        &mut self,
        command: &Command,
        new: &NewEvent,
        salt: [u8; 16],
        state: &mut ThreadState,
    ) {
        let next = EventId::try_from(self.events.len()).unwrap_or(0) + 1;
        let mut event = Event {
            event_id: self.head.event_id + next,
            thread: command.thread.clone(),
            seq: state.seq + 1,
            event_type: new.event_type.as_str().into(),
            turn: command.turn.clone(),
            item: new.item.clone(),
            tool_use: new.tool_use.clone(),
            approval: new.approval.clone(),
            trace: new.trace.clone(),
            parent: new.parent.clone(),
            key: new.key.clone(),
            at: self.at,
            payload: Some(Arc::from(new.payload.as_str())),
            payload_digest: payload_digest(&salt, &new.payload),
            prev_hash: state.head,
            hash: Digest::ZERO,
        };
        event.hash = event_hash(&event, &mut self.scratch);
        state.seq = event.seq;
        state.head = event.hash;
        state.follow(new.event_type, command);
        self.events.push(Arc::new(event));
        self.salts.push(salt);
    }

    /// The commit that seals the group.
    pub fn seal(&self) -> CommitRecord {
        let leaves: Vec<Digest> = self.events.iter().map(|event| event.hash).collect();
        let events = EventId::try_from(self.events.len()).unwrap_or(0);
        let mut commit = CommitRecord {
            commit_id: self.head.commit_id + 1,
            at: self.at,
            first_event_id: self.head.event_id + 1,
            last_event_id: self.head.event_id + events,
            root: merkle_root(&leaves),
            prev_hash: self.head.hash,
            hash: Digest::ZERO,
        };
        commit.hash = commit_hash(&commit);
        commit
    }
}

impl ThreadState {
    /// What an event changes in what the writer must know.
    fn follow(&mut self, event_type: EventType, command: &Command) {
        match event_type {
            EventType::ThreadArchived => self.archived = true,
            EventType::TurnStarted => {
                if let Expect::IdleFor(fence, _) = &command.expect {
                    self.active = Some(fence.clone());
                }
            }
            ended if ended.ends_turn() => self.active = None,
            _ => {}
        }
    }
}

fn name(claim: &Claim) -> (String, String) {
    (claim.method.clone(), claim.key.to_string())
}

/// Judges what a command expects; the state to go on from, or `None` when the thread to begin
/// exists already.
fn admit(command: &Command, state: Option<ThreadState>) -> Result<Option<ThreadState>, StoreError> {
    let thread = &command.thread;
    match (&command.expect, state) {
        (
            Expect::Absent {
                prev_hash,
                first_seq,
            },
            None,
        ) => Ok(Some(ThreadState {
            archived: false,
            active: None,
            seq: first_seq - 1,
            head: *prev_hash,
        })),
        (Expect::Absent { .. }, Some(_)) => Ok(None),
        (_, None) => Err(StoreError::UnknownThread(thread.clone())),
        (Expect::Exists, Some(state)) => Ok(Some(state)),
        (Expect::IdleFor(_, Some(at)), Some(state))
            if state.active.is_none() && state.seq != *at =>
        {
            Err(StoreError::ThreadMoved(thread.clone()))
        }
        (Expect::Idle | Expect::IdleFor(..), Some(state)) => idle(thread, state).map(Some),
        (Expect::Turn(fence), Some(state)) => fenced(fence, state).map(Some),
        (Expect::TurnAt(fence, seq), Some(state)) if state.seq == *seq => {
            fenced(fence, state).map(Some)
        }
        (Expect::TurnAt(fence, _), Some(_)) => Err(StoreError::Fenced(fence.turn.clone())),
    }
}

fn idle(thread: &ThreadId, state: ThreadState) -> Result<ThreadState, StoreError> {
    if state.archived {
        return Err(StoreError::ThreadArchived(thread.clone()));
    }
    match state.active {
        None => Ok(state),
        Some(fence) => Err(StoreError::TurnActive {
            thread: thread.clone(),
            turn: fence.turn,
            holder: fence.owner.to_string(),
        }),
    }
}

fn fenced(fence: &Fence, state: ThreadState) -> Result<ThreadState, StoreError> {
    if state.active.as_ref() == Some(fence) {
        Ok(state)
    } else {
        Err(StoreError::Fenced(fence.turn.clone()))
    }
}

/// Random salts, taken from the operating system some at a time.
pub(super) struct Salts {
    ready: Vec<[u8; 16]>,
}

impl Salts {
    const AT_A_TIME: usize = 256;

    pub fn new() -> Self {
        Self { ready: Vec::new() }
    }

    fn next(&mut self) -> Result<[u8; 16], StoreError> {
        if self.ready.is_empty() {
            let mut bytes = vec![0; Self::AT_A_TIME * 16];
            getrandom::fill(&mut bytes)
                .map_err(|error| StoreError::Database(format!("no random bytes: {error}")))?;
            self.ready.extend_from_slice(bytes.as_chunks().0);
        }
        Ok(self.ready.pop().unwrap_or_default())
    }
}

/// The epoch of a turn that was never taken over.
pub(super) const FIRST_EPOCH: i64 = 1;
