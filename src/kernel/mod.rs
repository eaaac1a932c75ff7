//! Runs turns: model, tools, permissions, approvals, effects.
//!
//! May use: `domain` and `store`. Promises: one loop for every entry; a turn has exactly one
//! terminal state, written when everything it started is gone.

pub mod model;
pub mod tool;
pub mod workspace;
