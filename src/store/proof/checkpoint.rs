//! Checkpoints, as <https://c2sp.org/tlog-checkpoint> says.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::error::ProofError;
use super::note::{KeyName, Note, VerifierKey};
use crate::domain::Digest;

/// A state of the ledger: so many commits, and the Merkle root over their hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeHead {
    /// How many commits.
    pub size: u64,
    /// RFC 6962 §2.1 over the hash of each, in their order.
    pub root: Digest,
}

/// What a checkpoint says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log it is of.
    pub origin: String,
    /// What state of it.
    pub head: TreeHead,
}

impl Checkpoint {
    /// What a note says, when `key` signed it for its own log.
    ///
    /// # Errors
    /// [`ProofError::Unsigned`], [`ProofError::Signature`], [`ProofError::Checkpoint`],
    /// [`ProofError::Origin`].
    pub fn verified(note: &Note, key: &VerifierKey) -> Result<Self, ProofError> {
        let found: Self = note.verify(key)?.parse()?;
        // A key has one log for each of its names, so that none passes for another.
        if found.origin != key.name().as_str() {
            return Err(ProofError::Origin {
                origin: found.origin,
                key: key.name().to_string(),
            });
        }
        Ok(found)
    }

    /// Which log a note claims to be of, whoever signed it.
    ///
    /// # Errors
    /// [`ProofError::Checkpoint`], [`ProofError::Name`].
    pub fn claimed_origin(note: &Note) -> Result<KeyName, ProofError> {
        note.unverified().parse::<Self>()?.origin.parse()
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = STANDARD.encode(self.head.root.as_bytes());
        writeln!(f, "{}\n{}\n{root}", self.origin, self.head.size)
    }
}

impl FromStr for Checkpoint {
    type Err = ProofError;

    /// Extension lines are allowed and not looked at.
    fn from_str(text: &str) -> Result<Self, ProofError> {
        let wrong = |why: &str| ProofError::Checkpoint(why.to_owned());
        let body = text.strip_suffix('\n').unwrap_or(text);
        let lines: Vec<_> = body.split('\n').collect();
        let [origin, size, root, ..] = lines[..] else {
            return Err(wrong("it has less than three lines"));
        };
        if lines.contains(&"") {
            return Err(wrong("it has an empty line"));
        }
        let decimal = size.bytes().all(|digit| digit.is_ascii_digit())
            && (size == "0" || !size.starts_with('0'));
        let size = size.parse().ok().filter(|_| decimal);
        let size = size.ok_or_else(|| wrong("its second line is no number of commits"))?;
        let root = STANDARD.decode(root).ok();
        let root = root.and_then(|root| Digest::try_from(&root[..]).ok());
        let root = root.ok_or_else(|| wrong("its third line is no root: 32 bytes in base64"))?;
        Ok(Self {
            origin: origin.to_owned(),
            head: TreeHead { size, root },
        })
    }
}
