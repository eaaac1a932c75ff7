use std::path::Path;

use serde_json::{Value, json};

use super::super::checkpoint::{read_note, verifier_key};
use super::super::failure::Failure;
use super::super::output::plain;
use crate::store::Store;
use crate::store::proof::{Checkpoint, Key, Note, TreeHead, VerifierKey};
use crate::store::verify::{Report, What};

/// A checkpoint whose signature is good.
pub(super) struct Signed {
    checkpoint: Checkpoint,
    /// Name and id of the key.
    by: String,
    /// Whether that is the key beside the ledger, because no other was given.
    own: bool,
}

impl Signed {
    /// The checkpoint of a file, signed by the key that is given or the one beside the ledger.
    pub fn read(path: &Path, key: Option<&str>, store: &Store) -> Result<Self, Failure> {
        let note = read_note(path)?;
        let verifier = match key {
            Some(named) => verifier_key(named)?,
            None => own_key(store, &note)?,
        };
        let in_file = |error| Failure::usage(format!("{}: {error}", path.display()));
        Ok(Self {
            checkpoint: Checkpoint::verified(&note, &verifier).map_err(in_file)?,
            by: verifier.label(),
            own: key.is_none(),
        })
    }

    /// The state it is of.
    pub fn head(&self) -> TreeHead {
        self.checkpoint.head
    }

    pub fn json(&self, report: &Report) -> Value {
        json!({
            "origin": self.checkpoint.origin,
            "size": self.head().size,
            "root": self.head().root,
            "signed_by": self.by,
            "own_key": self.own,
            "found": found(report),
        })
    }

    pub fn told(&self, report: &Report) -> String {
        let is = if found(report) {
            "is a state of this ledger"
        } else {
            "is no state of this ledger"
        };
        let (size, by) = (self.head().size, plain(&self.by));
        let mut told = format!("checkpoint of {size} commits, signed by {by}, {is}");
        if self.own {
            told += "\nthe key is the one beside the ledger: whoever can write there can sign a forgery too; \
                     give the one you kept elsewhere with --verifier-key";
        }
        told
    }
}

fn found(report: &Report) -> bool {
    let is_it = |what| what == What::CheckpointNotFound;
    !report.findings.iter().any(|finding| is_it(finding.what))
}

fn own_key(store: &Store, note: &Note) -> Result<VerifierKey, Failure> {
    let path = Key::path_in(store.dir());
    if !path.exists() {
        return Err(Failure::usage(format!(
            "there is no {}, so nobody knows who may sign; say --verifier-key",
            path.display()
        )));
    }
    let name = Checkpoint::claimed_origin(note)?;
    Ok(Key::read(&path, Some(name))?.verifier().clone())
}
