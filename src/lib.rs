//! Threadkeep: the session service for coding agents that never loses a session.
//!
//! One process, one `SQLite` file, one rule: the ledger is the only source of truth, and nothing
//! is said before it is committed. `docs/ARCHITECTURE.md` shows the layers.

pub mod cli;
pub mod domain;
pub mod kernel;
pub mod protocol;
pub mod server;
pub mod store;
pub mod transport;
