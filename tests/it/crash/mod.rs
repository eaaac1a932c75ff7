//! Real processes that are killed: what a host was told is there, and nothing happens twice.

mod cases;
pub(crate) mod host;
mod kill;
