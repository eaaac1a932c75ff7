//! What is said in evidence: an in-toto statement about a turn. Rows have the names of their
//! columns, as `docs/LEDGER.md` shows them; digests are hexadecimal.

use serde::{Serialize, Serializer};

use super::super::verify::rows::CommitRow;
use crate::domain::Digest;

/// What kind of predicate it is. The host is one of those that never exist (RFC 6761 §6.4): the
/// name is a name, and nobody can be asked for it.
pub const PREDICATE_TYPE: &str = "https://threadkeep.invalid/turn-evidence/v1";
/// What kind of statement.
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

#[derive(Serialize)]
pub(super) struct Statement<'s> {
    #[serde(rename = "_type")]
    kind: &'static str,
    subject: [Subject<'s>; 1],
    #[serde(rename = "predicateType")]
    predicate_type: &'static str,
    predicate: Predicate<'s>,
}

#[derive(Serialize)]
struct Subject<'s> {
    name: &'s str,
    digest: SubjectDigest<'s>,
}

#[derive(Serialize)]
struct SubjectDigest<'s> {
    sha256: &'s Hex,
}

#[derive(Serialize)]
pub(super) struct Predicate<'s> {
    pub terminal_evidence: &'s TerminalEvidence,
    pub events: &'s [EventRow],
    pub commits: Vec<CommitProof>,
    pub checkpoint: String,
}

/// The row of the turn.
#[derive(Serialize)]
pub(super) struct TerminalEvidence {
    pub turn_id: String,
    pub thread_id: String,
    pub status: String,
    pub event_digest: Hex,
    pub output_digest: Option<Hex>,
    pub first_event_seq: i64,
    pub last_event_seq: i64,
    pub artifact_ids: String,
    pub workspace_commit: Option<String>,
    pub test_receipt_ids: String,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub event_id: i64,
    pub event_hash: Hex,
}

/// A row of `event`.
#[derive(Serialize)]
pub(super) struct EventRow {
    pub event_id: i64,
    pub thread_id: String,
    pub event_seq: i64,
    pub event_type: String,
    pub turn_id: Option<String>,
    pub item_id: Option<String>,
    pub tool_use_id: Option<String>,
    pub approval_id: Option<String>,
    pub trace_id: Option<String>,
    pub parent_id: Option<String>,
    pub idempotency_key: Option<String>,
    pub at: i64,
    pub payload: Option<String>,
    pub salt: Salt,
    pub payload_digest: Hex,
    pub prev_hash: Hex,
    pub hash: Hex,
}

/// A row of `ledger_commit`, and where it is in the tree of the checkpoint.
#[derive(Serialize)]
pub(super) struct CommitProof {
    commit_id: i64,
    at: i64,
    first_event_id: i64,
    last_event_id: i64,
    root: Hex,
    prev_hash: Hex,
    hash: Hex,
    /// From its hash to the root of the checkpoint.
    proof: Path,
    /// Its events that are of the turn.
    events: Vec<EventProof>,
}

/// An event in the tree of its commit.
#[derive(Serialize)]
pub(super) struct EventProof {
    pub event_id: i64,
    /// From its hash to the root of the commit.
    pub proof: Path,
}

/// The hashes of an inclusion proof, the one beside the leaf first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path(pub Vec<Digest>);

/// What is hashed before a payload; gone with it when it was erased.
#[derive(Serialize)]
pub(super) struct Salt(Option<Hex>);

/// Bytes, written in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hex(Vec<u8>);

impl From<Vec<u8>> for Hex {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<Digest> for Hex {
    fn from(digest: Digest) -> Self {
        Self(digest.as_bytes().to_vec())
    }
}

impl From<Option<Vec<u8>>> for Salt {
    fn from(bytes: Option<Vec<u8>>) -> Self {
        Self(bytes.map(Hex))
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use std::fmt::Write as _;
        let mut text = String::with_capacity(self.0.len() * 2);
        for byte in &self.0 {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        serializer.serialize_str(&text)
    }
}

impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Digest::hex))
    }
}

impl<'s> Statement<'s> {
    /// About the turn whose evidence the predicate holds.
    pub fn about(predicate: Predicate<'s>) -> Self {
        let evidence = predicate.terminal_evidence;
        Self {
            kind: STATEMENT_TYPE,
            subject: [Subject {
                name: &evidence.turn_id,
                digest: SubjectDigest {
                    sha256: &evidence.event_digest,
                },
            }],
            predicate_type: PREDICATE_TYPE,
            predicate,
        }
    }
}

impl CommitProof {
    /// `row` was followed, so its digests are whole.
    pub fn new(row: &CommitRow, hash: Digest, proof: Vec<Digest>, events: Vec<EventProof>) -> Self {
        Self {
            commit_id: row.commit_id,
            at: row.at,
            first_event_id: row.first_event_id,
            last_event_id: row.last_event_id,
            root: row.root.unwrap_or(Digest::ZERO).into(),
            prev_hash: row.prev_hash.unwrap_or(Digest::ZERO).into(),
            hash: hash.into(),
            proof: Path(proof),
            events,
        }
    }
}
