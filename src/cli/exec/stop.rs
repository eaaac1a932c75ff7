use super::super::failure::Failure;
use super::LAST_MOMENT;
use crate::transport::Signals;

/// What asks to stop: a signal to interrupt the turn, a second one to leave at once.
pub(super) struct Stop {
    signals: Signals,
    heard: u32,
}

impl Stop {
    pub fn new() -> Result<Self, Failure> {
        let signals = Signals::listen()
            .map_err(|error| Failure::failed(format!("signals cannot be heard: {error}")))?;
        Ok(Self { signals, heard: 0 })
    }

    /// Waits until it is asked, once more.
    pub async fn asked(&mut self) {
        self.signals.next().await;
        self.heard += 1;
    }

    /// Whether it was asked more than once.
    pub const fn at_once(&self) -> bool {
        self.heard > 1
    }

    /// Waits until it has been asked twice and the last moment is over.
    pub async fn over(&mut self) {
        while !self.at_once() {
            self.asked().await;
        }
        tokio::time::sleep(LAST_MOMENT).await;
    }
}
