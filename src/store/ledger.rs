//! The hash formulas of ledger format 1; `docs/LEDGER.md` states them for readers of the file.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::event::Event;
use crate::domain::{Digest, EventId, Timestamp};

/// Domain separation of event hashes.
const EVENT_FORMAT: &str = "threadkeep/event/v1";
/// Domain separation of commit hashes.
const COMMIT_FORMAT: &str = "threadkeep/commit/v1";

/// `SHA-256(salt ‖ payload)`.
#[must_use]
pub fn payload_digest(salt: &[u8; 16], payload: &str) -> Digest {
    Digest::of_parts(&[salt, payload.as_bytes()])
}

/// The hash of an event: SHA-256 over its members, a line each. `event.hash` is not read. `text`
/// is scratch space, so that hashing many events allocates once.
#[must_use]
pub fn event_hash(event: &Event, text: &mut String) -> Digest {
    text.clear();
    let seq = event.seq;
    let at = event.at.millis();
    let line = |text: &mut String, value: Option<&str>| {
        text.push_str(value.unwrap_or("-"));
        text.push('\n');
    };
    line(text, Some(EVENT_FORMAT));
    line(text, Some(event.thread.as_str()));
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{seq}");
    line(text, Some(&event.event_type));
    for reference in event.references() {
        line(text, reference);
    }
    let _ = writeln!(text, "{at}");
    line(text, Some(&event.payload_digest.hex()));
    line(text, Some(&event.prev_hash.hex()));
    Digest::of(text.as_bytes())
}

/// One transaction, as the commit chain records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitRecord {
    /// 1, 2, 3 …
    pub commit_id: i64,
    /// When it was made.
    pub at: Timestamp,
    /// Its first event.
    pub first_event_id: EventId,
    /// Its last event.
    pub last_event_id: EventId,
    /// Merkle root over the hashes of its events.
    pub root: Digest,
    /// Hash of the commit before it.
    pub prev_hash: Digest,
    /// Its own hash.
    pub hash: Digest,
}

/// The hash of a commit: SHA-256 over its members, a line each. `commit.hash` is not read.
#[must_use]
pub fn commit_hash(commit: &CommitRecord) -> Digest {
    let text = format!(
        "{COMMIT_FORMAT}\n{}\n{}\n{}\n{}\n{}\n{}\n",
        commit.commit_id,
        commit.at.millis(),
        commit.first_event_id,
        commit.last_event_id,
        commit.root.hex(),
        commit.prev_hash.hex()
    );
    Digest::of(text.as_bytes())
}

/// The Merkle tree hash of RFC 6962 §2.1 over 32-byte leaves.
#[must_use]
pub fn merkle_root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Digest::of(b""),
        [leaf] => Digest::of_parts(&[&[0], leaf.as_bytes()]),
        _ => {
            // The largest power of two smaller than the number of leaves.
            let split = leaves.len().next_power_of_two() / 2;
            let (left, right) = leaves.split_at(split);
            let mut hasher = Sha256::new();
            hasher.update([1]);
            hasher.update(merkle_root(left).as_bytes());
            hasher.update(merkle_root(right).as_bytes());
            Digest::from_bytes(hasher.finalize().into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merkle_root_splits_as_rfc_6962_says() {
        let leaf = |n: u8| Digest::from_bytes([n; 32]);
        let hash = |leaf: Digest| Digest::of_parts(&[&[0], leaf.as_bytes()]);
        let node = |left: Digest, right: Digest| {
            Digest::of_parts(&[&[1], left.as_bytes(), right.as_bytes()])
        };
        let (a, b, c) = (hash(leaf(1)), hash(leaf(2)), hash(leaf(3)));
        assert_eq!(merkle_root(&[]), Digest::of(b""));
        assert_eq!(merkle_root(&[leaf(1)]), a);
        assert_eq!(merkle_root(&[leaf(1), leaf(2)]), node(a, b));
        assert_eq!(
            merkle_root(&[leaf(1), leaf(2), leaf(3)]),
            node(node(a, b), c)
        );
        let four = node(node(a, b), node(c, hash(leaf(4))));
        let five = [1, 2, 3, 4, 5].map(leaf);
        assert_eq!(merkle_root(&five), node(four, hash(leaf(5))));
    }
}
