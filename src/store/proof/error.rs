use std::path::PathBuf;

use super::super::error::StoreError;
use crate::domain::TurnId;

/// Why nothing was proven. What is shown to be wrong with the ledger itself is
/// [`ProofError::Broken`] or [`ProofError::Contradicted`].
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProofError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The text is no signed note.
    #[error("this is not a signed note: {0}")]
    Note(String),
    /// The note is no checkpoint.
    #[error("this is not a checkpoint: {0}")]
    Checkpoint(String),
    /// No name that a key or an origin can have.
    #[error(
        "{0:?} cannot name a log: a name has 1 to 255 bytes without spaces, plus signs and control characters, like example.com/ledger"
    )]
    Name(String),
    /// The text is no verifier key.
    #[error(
        "this is not a verifier key ({0}); `threadkeep checkpoint --public` prints one, like example.com/ledger+c74f20a3+ARpc2Q…"
    )]
    VerifierKey(String),
    /// No signature by the key.
    #[error("the note has no signature by {key}; it is signed by {by}")]
    Unsigned {
        /// The key, by its name and id.
        key: String,
        /// The keys that signed.
        by: String,
    },
    /// A signature that claims to be by the key and is not.
    #[error(
        "the signature by {0} is not good: the note was changed, or was never signed by that key"
    )]
    Signature(String),
    /// The note is of another log.
    #[error(
        "the checkpoint is of {origin}, and the key is that of {key}; name the key of {origin}"
    )]
    Origin {
        /// The log it is of.
        origin: String,
        /// The log the key is of.
        key: String,
    },
    /// A key file that cannot be used.
    #[error("the signing key {path}: {problem}")]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The last checkpoint that was signed cannot be told.
    #[error(
        "the last checkpoint, {path}, {problem}; nothing was signed. When the ledger is known to be whole, remove the file"
    )]
    Kept {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The commits do not fit together.
    #[error("{0}; nothing was signed: `threadkeep verify` names all that is wrong")]
    Broken(String),
    /// The ledger is not the one of an earlier checkpoint.
    #[error("{0}; nothing was signed")]
    Contradicted(String),
    /// No turn of that name.
    #[error("there is no turn {0}; `threadkeep audit recent_turns` lists the last ones")]
    UnknownTurn(TurnId),
    /// The turn runs.
    #[error(
        "turn {0} has not ended, so there is no evidence of it yet; wait for it or interrupt it"
    )]
    Running(TurnId),
    /// The turn is too large for an export.
    #[error(
        "turn {turn} has {events} events with {bytes} bytes of payload; an export holds at most {max_events} events and {max_bytes} bytes. The database itself is the evidence of it: give a copy, and a checkpoint"
    )]
    TooLarge {
        /// The turn.
        turn: TurnId,
        /// Its events.
        events: i64,
        /// The bytes of their payloads.
        bytes: i64,
        /// The most events.
        max_events: i64,
        /// The most bytes.
        max_bytes: i64,
    },
    /// The checkpoint was made before the turn ended.
    #[error(
        "the checkpoint has {size} commits, and turn {turn} ended after them; name a later checkpoint, or none to make one"
    )]
    TooEarly {
        /// The turn.
        turn: TurnId,
        /// Commits of the checkpoint.
        size: u64,
    },
}

impl From<sqlx::Error> for ProofError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
