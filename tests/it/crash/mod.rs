//! Real processes that are killed: what a host was told is there, and nothing happens twice.

mod cases;
mod continuing;
pub(crate) mod host;
mod kill;
