//! What the turns of one thread share while this process serves it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::{ThreadId, Timestamp};
use crate::kernel::tool::Grant;
use crate::kernel::workspace::ReadLog;

/// Threads whose session is remembered. One that is forgotten loses its lasting grants and must
/// read files again before it edits them: nothing more is allowed by it.
const SESSIONS: usize = 256;
/// Lasting grants a thread may hold; the oldest goes first.
const GRANTS: usize = 256;

/// The sessions of a process.
#[derive(Default)]
pub(super) struct Sessions {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    sessions: HashMap<ThreadId, (u64, Arc<ThreadSession>)>,
    uses: u64,
}

/// What one thread keeps from turn to turn.
#[derive(Default)]
pub(super) struct ThreadSession {
    pub reads: Arc<ReadLog>,
    grants: Arc<Mutex<Vec<Held>>>,
}

/// A lasting grant and its end.
struct Held {
    grant: Grant,
    until: Option<Timestamp>,
}

impl Sessions {
    pub fn of(&self, thread: &ThreadId) -> Arc<ThreadSession> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.uses += 1;
        let now = known.uses;
        if let Some((used, session)) = known.sessions.get_mut(thread) {
            *used = now;
            return Arc::clone(session);
        }
        if known.sessions.len() >= SESSIONS {
            let oldest = known
                .sessions
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(thread, _)| thread.clone());
            oldest.and_then(|oldest| known.sessions.remove(&oldest));
        }
        let session = Arc::<ThreadSession>::default();
        known
            .sessions
            .insert(thread.clone(), (now, Arc::clone(&session)));
        session
    }
}

/// The lasting grants that count in one turn.
pub(super) struct Grants {
    turn: Mutex<Vec<Held>>,
    session: Arc<Mutex<Vec<Held>>>,
}

impl Grants {
    pub fn new(session: &ThreadSession) -> Self {
        Self {
            turn: Mutex::default(),
            session: Arc::clone(&session.grants),
        }
    }

    /// True when exactly this act was granted and the grant has not ended.
    pub fn cover(&self, grant: &Grant, now: Timestamp) -> bool {
        [&self.turn, &*self.session].into_iter().any(|grants| {
            let grants = grants.lock().unwrap_or_else(PoisonError::into_inner);
            grants
                .iter()
                .any(|held| held.grant == *grant && held.until.is_none_or(|until| now < until))
        })
    }

    pub fn for_turn(&self, grant: &Grant, until: Option<Timestamp>) {
        hold(&self.turn, grant, until);
    }

    pub fn for_session(&self, grant: &Grant, until: Option<Timestamp>) {
        hold(&self.session, grant, until);
    }
}

fn hold(grants: &Mutex<Vec<Held>>, grant: &Grant, until: Option<Timestamp>) {
    let mut grants = grants.lock().unwrap_or_else(PoisonError::into_inner);
    grants.retain(|held| held.grant != *grant);
    if grants.len() >= GRANTS {
        grants.remove(0);
    }
    grants.push(Held {
        grant: grant.clone(),
        until,
    });
}
