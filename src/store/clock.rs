use std::fmt;
use std::sync::Arc;

use crate::domain::Timestamp;

/// Where the store takes the time from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The clock of the machine.
    #[must_use]
    pub fn system() -> Self {
        Self::new(Timestamp::now)
    }

    /// A clock of the caller's making.
    #[must_use]
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The present instant.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
