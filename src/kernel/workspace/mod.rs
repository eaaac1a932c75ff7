//! The one directory a thread works in, and what its model knows of it.

/// A directory whose outside cannot be reached through it.
pub struct Workspace;

/// The content the model has seen, by path.
pub struct ReadLog;
