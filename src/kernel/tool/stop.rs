//! When a tool's work has to end before it is done.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// The longest one call may look around.
const LOOK_LIMIT: Duration = Duration::from_secs(20);

/// Asked between steps of work.
pub(super) struct Stop {
    cancel: CancellationToken,
    deadline: Instant,
}

/// Why work ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stopped {
    /// The turn was interrupted.
    #[error("cancelled")]
    Cancelled,
    /// It took too long.
    #[error("stopped after {} seconds", LOOK_LIMIT.as_secs())]
    OutOfTime,
}

impl Stop {
    pub(super) fn new(cancel: CancellationToken) -> Self {
        Self {
            cancel,
            deadline: Instant::now() + LOOK_LIMIT,
        }
    }

    /// # Errors
    /// [`Stopped`] when it is time to end.
    pub(super) fn check(&self) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            Err(Stopped::Cancelled)
        } else if Instant::now() >= self.deadline {
            Err(Stopped::OutOfTime)
        } else {
            Ok(())
        }
    }
}
