//! The `threadkeep` command.

fn main() {}
