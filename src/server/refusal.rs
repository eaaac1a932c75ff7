//! The one place where errors of the layers below become errors of the wire.

use crate::kernel::KernelError;
use crate::kernel::model::ModelErrorKind;
use crate::protocol::{ErrorCode, Refused};
use crate::store::StoreError;

/// When to try again after the service or its store said that it is closing, in ms: the time a
/// new process needs to be there.
const AFTER_CLOSING_MS: u64 = 2_000;

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::UnknownThread(_)
            | StoreError::UnknownTurn { .. }
            | StoreError::UnknownTurnId(_)
            | StoreError::UnknownEffect(_)
            | StoreError::UnknownEvent { .. } => ErrorCode::NotFound,
            StoreError::ThreadExists(_)
            | StoreError::TurnExists(_)
            | StoreError::TurnActive { .. }
            | StoreError::TurnNotEnded(_)
            | StoreError::EffectNotUnknown { .. }
            | StoreError::ThreadMoved(_)
            | StoreError::NothingToContinue(_)
            | StoreError::ThreadArchived(_)
            | StoreError::KeyForgotten { .. }
            | StoreError::KeyReused { .. } => ErrorCode::Conflict,
            StoreError::Overloaded { retry_after_ms } => {
                let after = *retry_after_ms;
                return Self::retry(ErrorCode::Overloaded, error.to_string(), after);
            }
            StoreError::Closing => {
                return Self::retry(ErrorCode::Overloaded, error.to_string(), AFTER_CLOSING_MS);
            }
            StoreError::Fenced(_)
            | StoreError::Refused(_)
            | StoreError::Directory { .. }
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Damaged { .. }
            | StoreError::Database(_) => return internal(&error),
        };
        Self::new(code, error.to_string())
    }
}

impl From<KernelError> for Refused {
    fn from(error: KernelError) -> Self {
        match error {
            KernelError::Store(error) => error.into(),
            KernelError::EmptyInput | KernelError::WiderMode { .. } => {
                Self::new(ErrorCode::InvalidParams, error.to_string())
            }
            // No key, no such model, a script that is none: what was asked for cannot be had.
            KernelError::Model(ref model) if model.kind == ModelErrorKind::Unconfigured => {
                Self::new(ErrorCode::InvalidParams, error.to_string())
            }
            KernelError::Overloaded { retry_after_ms, .. } => {
                Self::retry(ErrorCode::Overloaded, error.to_string(), retry_after_ms)
            }
            KernelError::NotSettled { retry_after_ms, .. } => {
                Self::retry(ErrorCode::NotSettled, error.to_string(), retry_after_ms)
            }
            KernelError::ShuttingDown => {
                Self::retry(ErrorCode::Overloaded, error.to_string(), AFTER_CLOSING_MS)
            }
            other => internal(&other),
        }
    }
}

impl From<serde_json::Error> for Refused {
    fn from(error: serde_json::Error) -> Self {
        internal(&error)
    }
}

fn internal(error: &(dyn std::error::Error + 'static)) -> Refused {
    tracing::error!(error, "a request failed");
    Refused::internal()
}
