//! The server as a host sees it: lines in, lines out. Every line that comes out is checked against
//! the contract's schema.

mod approvals;
mod effects;
mod host;
mod input;
mod life;
mod once;
mod order;
mod process;
mod providers;
mod redact;
mod threads;
mod turns;
