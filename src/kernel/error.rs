use std::path::PathBuf;

use super::model::ModelError;
use super::permission::PermissionMode;
use crate::domain::TurnId;
use crate::store::StoreError;

/// Why the kernel did not do as asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KernelError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The text is empty.
    #[error("the input is empty; say what the turn is to do")]
    EmptyInput,
    /// The mode asked for is wider than the one the process was started with.
    #[error("permission mode {asked} is wider than {allowed}, which this process was started with")]
    WiderMode {
        /// What was asked.
        asked: PermissionMode,
        /// The widest there is.
        allowed: PermissionMode,
    },
    /// The workspace cannot be used.
    #[error("workspace {path}: {problem}")]
    Workspace {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// As many turns run as may.
    #[error(
        "{running} turns are running, the most this process takes; try again in {retry_after_ms} ms"
    )]
    Overloaded {
        /// How many run.
        running: usize,
        /// When to try again, in ms.
        retry_after_ms: u64,
    },
    /// The turn did not end in time after it was told to.
    #[error("turn {turn} was told to stop and has not ended yet; ask again in {retry_after_ms} ms")]
    NotSettled {
        /// The turn.
        turn: TurnId,
        /// When to ask again, in ms.
        retry_after_ms: u64,
    },
    /// Programs cannot be run under control here.
    #[error("programs cannot be kept under control on this system: {0}")]
    Processes(String),
    /// Something that should not happen.
    #[error("internal error: {0}")]
    Internal(String),
    /// The kernel is shutting down.
    #[error("the service is shutting down")]
    ShuttingDown,
}
