//! Everything that is tested from outside the crate, as one binary so that it links once.

// What a test cannot do it says by failing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod audit;
mod cli;
mod crash;
mod docs;
mod kernel;
mod models;
mod processes;
mod store;
mod tools;
mod verify;
mod wire;
