use std::fmt;
use std::process::ExitCode;

use crate::kernel::KernelError;
use crate::kernel::model::{ModelError, ModelErrorKind};
use crate::store::StoreError;
use crate::store::audit::AuditError;
use crate::store::proof::ProofError;

/// How a command ends. The numbers are part of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// Done, or intact.
    Done = 0,
    /// The turn failed, or the ledger is broken.
    Failed = 1,
    /// Usage, configuration, or something that cannot be read.
    Usage = 2,
    /// The turn was interrupted.
    Interrupted = 3,
    /// A budget is spent.
    BudgetExhausted = 4,
    /// A refused approval ended the turn.
    Blocked = 5,
    /// The turn is done and the outcome of an effect is unknown.
    Unknown = 6,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command could not be carried out.
#[derive(Debug)]
pub(super) struct Failure {
    pub exit: Exit,
    message: String,
}

impl Failure {
    /// Something the person who typed the command can put right.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
        }
    }

    /// Something else.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Overloaded { .. }
            | StoreError::Closing
            | StoreError::Refused(_)
            | StoreError::Fenced(_)
            | StoreError::Database(_) => Self::failed(error.to_string()),
            _ => Self::usage(error.to_string()),
        }
    }
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        match error.kind {
            ModelErrorKind::Unconfigured => Self::usage(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        match error {
            KernelError::Store(error) => error.into(),
            KernelError::Model(error) => error.into(),
            KernelError::EmptyInput
            | KernelError::WiderMode { .. }
            | KernelError::Workspace { .. }
            | KernelError::Processes(_) => Self::usage(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Store(error) => error.into(),
            AuditError::UnknownQuestion(_) => Self::usage(error.to_string()),
        }
    }
}

impl From<ProofError> for Failure {
    fn from(error: ProofError) -> Self {
        match error {
            ProofError::Store(error) => error.into(),
            ProofError::Broken(_) | ProofError::Contradicted(_) => Self::failed(error.to_string()),
            _ => Self::usage(error.to_string()),
        }
    }
}
