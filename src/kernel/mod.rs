//! Runs turns: model, tools, permissions, approvals, effects.
//!
//! May use: `domain` and `store`. Promises: one loop for every entry; a turn has exactly one
//! terminal state, written when everything it started is gone.

pub mod approval;
mod budget;
mod continuing;
mod error;
mod git;
mod history;
mod instructions;
pub mod model;
mod permission;
mod plain_file;
pub mod process;
mod prompt;
mod running;
mod service;
mod session;
pub mod tool;
mod turn;
pub mod workspace;

pub use budget::Budget;
pub use continuing::Continuation;
pub use error::KernelError;
pub use permission::{AllowRule, PermissionMode, Permissions, UnknownMode};
pub use service::{Interrupted, Kernel, KernelOptions, Started, TurnInput, TurnRun};
