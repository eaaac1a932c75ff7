//! Proofs for those who hold no copy of the ledger: signed checkpoints of all commits, and evidence
//! of one turn that can be taken away.
//!
//! May use: read-only connections of its own, the rows of `verify`, the formulas of `ledger`.
//! Promises: nothing is signed that does not fit together; memory does not grow with the number of
//! commits; the formats are those of `docs/PROOFS.md`.

mod checkpoint;
mod commits;
mod envelope;
mod error;
mod evidence;
mod file;
mod kept;
mod key;
mod merkle;
mod note;
mod statement;

pub use checkpoint::{Checkpoint, TreeHead};
pub use envelope::{PAYLOAD_TYPE, envelope};
pub use error::ProofError;
pub use evidence::{MAX_EVENTS, MAX_PAYLOAD_BYTES};
pub use kept::KEPT_FILE;
pub use key::{KEY_FILE, Key};
pub use merkle::{Continuation, Continued, Finished, Tree, root_from_proof};
pub use note::{KeyName, MAX_NOTE_BYTES, Note, VerifierKey};
pub use statement::PREDICATE_TYPE;

use sqlx::{Connection as _, SqliteConnection};

use super::Store;
use super::connect;
use crate::domain::Digest;

/// A checkpoint, and the consistency proof of RFC 6962 §2.1.2 from an earlier one; it is empty when
/// there was none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The checkpoint.
    pub note: Note,
    /// The proof.
    pub proof: Vec<Digest>,
}

impl Store {
    /// Signs the state of the ledger for the log that has the key's name, and keeps the note as the
    /// last one. Nothing is signed that does not go on from the last one and from `earlier`. The
    /// chain of the commits is checked on the way; events are not read.
    ///
    /// # Errors
    /// [`ProofError::Broken`], [`ProofError::Contradicted`], [`ProofError::Kept`], or the database.
    pub async fn sign_checkpoint(
        &self,
        key: &Key,
        earlier: Option<TreeHead>,
    ) -> Result<Signed, ProofError> {
        let last = kept::last(self.dir())?;
        let mut connection = connect::scan(&self.inner.dir).await?;
        let mut snapshot = connection.begin().await?;
        if let (Some(last), Some(_)) = (last, earlier) {
            grown(&mut snapshot, last).await?;
        }
        let (head, proof) = grown(&mut snapshot, earlier.or(last)).await?;
        let note = key.sign_head(head);
        kept::keep(self.dir(), &note)?;
        Ok(Signed {
            note,
            proof: earlier.map_or_else(Vec::new, |_| proof),
        })
    }
}

/// The state of the ledger, when it goes on from an earlier one, and the proof that it does.
async fn grown(
    snapshot: &mut SqliteConnection,
    earlier: impl Into<Option<TreeHead>>,
) -> Result<(TreeHead, Vec<Digest>), ProofError> {
    let earlier = earlier.into();
    let signed = earlier.map_or(0, |earlier| earlier.size);
    let mut tree = Continued::from(signed);
    commits::each(snapshot, u64::MAX, |_, hash| tree.push(hash.as_bytes())).await?;
    let size = tree.size();
    let Some(found) = tree.finish() else {
        return Err(ProofError::Contradicted(format!(
            "an earlier checkpoint has {signed} commits, and the ledger has {size}: it was cut off or \
             rolled back"
        )));
    };
    if earlier.is_some_and(|earlier| earlier.root != found.earlier_root) {
        return Err(ProofError::Contradicted(format!(
            "the first {signed} commits are not those of an earlier checkpoint: the ledger was rolled \
             back and went on, or was written anew"
        )));
    }
    let root = found.root;
    Ok((TreeHead { size, root }, found.proof))
}
