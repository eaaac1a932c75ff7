//! Programs: started in their own session, bounded in time and output, and all gone in the end.
//!
//! May use: the operating system. Promises: whatever a program forks, detaches or ignores, when
//! its [`Scope`] has ended it is gone, or its pid is reported.

use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Starts programs for this whole process and reaps whatever they leave behind.
pub struct Broker;

/// The programs of one turn.
pub struct Scope;

/// A process that could not be killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survivor {
    /// Its process id.
    pub pid: i32,
    /// Its command line, as far as it can be told.
    pub command: String,
}

impl Broker {
    /// Makes this process the one that orphans of its programs fall back to.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn start() -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self))
    }

    /// A scope for the programs of one turn.
    pub fn scope(self: &Arc<Self>, _turn: &str) -> Arc<Scope> {
        Arc::new(Scope)
    }
}

impl Scope {
    /// Kills what is left and waits until it is gone, `deadline` at most. Returns what is not.
    #[expect(clippy::unused_async)]
    pub async fn end(&self, _deadline: Duration) -> Vec<Survivor> {
        Vec::new()
    }
}
