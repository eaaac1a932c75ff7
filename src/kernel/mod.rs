//! Runs turns: model, tools, permissions, approvals, effects.
//!
//! May use: `domain` and `store`. Promises: one loop for every entry; a turn has exactly one
//! terminal state, written when everything it started is gone.

pub mod approval;
pub mod model;
mod permission;
pub mod process;
pub mod tool;
pub mod workspace;

pub use permission::{AllowRule, PermissionMode, Permissions, UnknownMode};
