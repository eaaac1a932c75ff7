//! The kernel with scripted models: what a turn does, records and leaves behind.

mod approvals;
mod conversation;
mod endings;
pub(crate) mod stand;
