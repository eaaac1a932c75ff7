//! What this process knows of its own children. There is one kernel process table for the whole
//! process, so there is one registry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, WaitOptions, waitpid};

use super::table::Process;

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    children: BTreeSet::new(),
    scopes: BTreeMap::new(),
});

/// The children tokio waits for, and the scopes that have started some.
pub(super) struct Registry {
    /// Started here and not yet reaped. Locked while one is started, so that none is taken for an
    /// orphan.
    pub children: BTreeSet<i32>,
    /// When each open scope started its first program, by the scope's id.
    scopes: BTreeMap<String, u64>,
}

/// Locks it.
pub(super) fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// A scope has started a program.
    pub fn open(&mut self, scope: &str, started: u64) {
        self.scopes.entry(scope.to_owned()).or_insert(started);
    }

    /// A scope has ended.
    pub fn close(&mut self, scope: &str) {
        self.scopes.remove(scope);
    }

    /// Whether only `scope` can have started an orphan.
    pub fn only(&self, scope: &str, orphan: &Process) -> bool {
        let mut others = self.scopes.iter().filter(|(id, _)| *id != scope);
        !others.any(|(_, since)| *since <= orphan.id.started)
    }

    /// Whether `process` was left to this process by a program.
    pub fn adopted(&self, process: &Process, own: &Process) -> bool {
        process.parent == own.id.pid
            && process.session != own.session
            && !self.children.contains(&process.id.pid)
    }

    /// Takes the dead among the orphans out of the process table. Waits for each by its pid, so
    /// that no exit status of a child is taken from who waits for it.
    pub fn reap(&self, table: &[Process], own: &Process) {
        for process in table {
            if process.dead
                && self.adopted(process, own)
                && let Some(pid) = Pid::from_raw(process.id.pid)
            {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
    }
}
