//! The last checkpoint that was signed, kept beside the ledger: a log must not sign what contradicts
//! what it signed before (<https://c2sp.org/tlog-checkpoint>).

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, TreeHead};
use super::error::ProofError;
use super::note::{MAX_NOTE_BYTES, Note};

/// Its file in the state directory.
pub const KEPT_FILE: &str = "checkpoint.note";

/// The state that was signed last, whoever signed it.
pub(super) fn last(dir: &Path) -> Result<Option<TreeHead>, ProofError> {
    let path = path_in(dir);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(dir, &format!("cannot be read: {error}"))),
    };
    let mut bytes = Vec::new();
    file.take(MAX_NOTE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unusable(dir, &format!("cannot be read: {error}")))?;
    let found = Note::parse(&bytes).and_then(|note| note.unverified().parse::<Checkpoint>());
    found
        .map(|checkpoint| Some(checkpoint.head))
        .map_err(|error| unusable(dir, &format!("is not what was kept there: {error}")))
}

/// Keeps a checkpoint before anybody is given it.
pub(super) fn keep(dir: &Path, note: &Note) -> Result<(), ProofError> {
    let write = || {
        let mut file = tempfile::NamedTempFile::new_in(dir)?;
        file.write_all(note.to_string().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path_in(dir)).map_err(|error| error.error)?;
        File::open(dir)?.sync_all()
    };
    write().map_err(|error: io::Error| unusable(dir, &format!("cannot be written: {error}")))
}

fn path_in(dir: &Path) -> PathBuf {
    dir.join(KEPT_FILE)
}

fn unusable(dir: &Path, problem: &str) -> ProofError {
    ProofError::Kept {
        path: path_in(dir),
        problem: problem.to_owned(),
    }
}
