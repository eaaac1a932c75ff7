//! Which processes descend from the programs of a scope or a call.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::MARKER;
use super::registry::Registry;
use super::table::{self, Identity, Process};

/// The programs of a scope or a call and all that came of them.
#[derive(Debug)]
pub(super) struct Family {
    /// What the environment of its programs names.
    marker: String,
    /// Whether it takes in orphans without a marker that only it can have started.
    orphans: Orphans,
    /// The sessions its members are in.
    sessions: BTreeSet<i32>,
    /// Who was found to belong to it.
    known: BTreeSet<Identity>,
    /// When its first program started; nobody older belongs to it.
    since: u64,
    /// No program joins it any more.
    pub closed: bool,
}

/// What becomes of an orphan that shows nothing of where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Orphans {
    /// It belongs to the family when no other scope can have started it.
    TakenIn,
    /// It is left to the scope.
    Left,
}

/// The process table at one moment.
pub(super) struct Moment<'a> {
    pub table: &'a [Process],
    pub own: Process,
    pub registry: &'a Registry,
}

/// Locks a family.
pub(super) fn lock(family: &Mutex<Family>) -> MutexGuard<'_, Family> {
    family.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Family {
    /// The family of the programs whose environment names `marker`.
    pub fn new(marker: String, orphans: Orphans) -> Self {
        Self {
            marker,
            orphans,
            sessions: BTreeSet::new(),
            known: BTreeSet::new(),
            since: u64::MAX,
            closed: false,
        }
    }

    /// Takes in a program, which leads its own session.
    pub fn add(&mut self, program: Identity) {
        self.sessions.insert(program.pid);
        self.known.insert(program);
        self.since = self.since.min(program.started);
    }

    /// Whether a program ever joined it.
    pub fn is_empty(&self) -> bool {
        self.since == u64::MAX
    }

    /// Where the process table cannot be read its programs' sessions are all that is known, and
    /// they are groups of the same number too. Forgets those that no longer live.
    pub fn groups(&mut self, lives: impl Fn(i32) -> bool) -> Vec<i32> {
        self.sessions.retain(|session| lives(*session));
        self.sessions.iter().copied().collect()
    }

    /// Its members at a moment, the dead included.
    pub fn members(&mut self, now: &Moment<'_>) -> Vec<Process> {
        let candidates = now.table.iter().copied();
        let (mut joined, mut others): (Vec<Process>, Vec<Process>) = candidates
            .filter(|process| self.may_contain(process, now))
            .partition(|process| self.knows(process) || self.traces(process, now));
        let mut members: Vec<Process> = Vec::new();
        let mut pids = BTreeSet::new();
        while !joined.is_empty() {
            for process in joined.drain(..) {
                self.sessions.insert(process.session);
                pids.insert(process.id.pid);
                members.push(process);
            }
            (joined, others) = others
                .into_iter()
                .partition(|process| self.knows(process) || pids.contains(&process.parent));
        }
        self.known = members.iter().map(|member| member.id).collect();
        self.sessions = members.iter().map(|member| member.session).collect();
        members
    }

    /// A program leaves this process's session before it runs, and nobody can come back to it.
    fn may_contain(&self, process: &Process, now: &Moment<'_>) -> bool {
        process.session != now.own.session && process.id.started >= self.since
    }

    fn knows(&self, process: &Process) -> bool {
        self.known.contains(&process.id) || self.sessions.contains(&process.session)
    }

    fn traces(&self, process: &Process, now: &Moment<'_>) -> bool {
        match table::variable(process.id.pid, MARKER) {
            Some(marker) => marker.contains(&self.marker),
            None => {
                self.orphans == Orphans::TakenIn
                    && now.registry.adopted(process, &now.own)
                    && now.registry.only(&self.marker, process)
            }
        }
    }
}
