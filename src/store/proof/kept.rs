//! The last checkpoint that was signed, kept beside the ledger: a log must not sign what contradicts
//! what it signed before (<https://c2sp.org/tlog-checkpoint>).

use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, TreeHead};
use super::error::ProofError;
use super::file::{self, Old};
use super::note::{MAX_NOTE_BYTES, Note};

/// Its file in the state directory.
pub const KEPT_FILE: &str = "checkpoint.note";

/// The state that was signed last, whoever signed it.
pub(super) fn last(dir: &Path) -> Result<Option<TreeHead>, ProofError> {
    let text = file::read(&path_in(dir), MAX_NOTE_BYTES);
    let Some(text) = text.map_err(|problem| unusable(dir, problem))? else {
        return Ok(None);
    };
    let note = Note::parse(text.as_bytes());
    let found = note.and_then(|note| note.unverified().parse::<Checkpoint>());
    found
        .map(|checkpoint| Some(checkpoint.head))
        .map_err(|error| unusable(dir, format!("is not what was kept there: {error}")))
}

/// Keeps a checkpoint before anybody is given it.
pub(super) fn keep(dir: &Path, note: &Note) -> Result<(), ProofError> {
    file::write(dir, &path_in(dir), &note.to_string(), Old::Goes)
        .map(drop)
        .map_err(|error| unusable(dir, format!("cannot be written: {error}")))
}

fn path_in(dir: &Path) -> PathBuf {
    dir.join(KEPT_FILE)
}

fn unusable(dir: &Path, problem: String) -> ProofError {
    ProofError::Kept {
        path: path_in(dir),
        problem,
    }
}
