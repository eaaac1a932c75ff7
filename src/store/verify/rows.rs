//! Events and commits out of the packed rows of `queries/verify/`.

use super::super::ledger::{CommitRecord, commit_hash};
use crate::domain::{Digest, EventId, Timestamp};

/// A packed row was not as its statement says. No forgery leads here, only a mistake of ours.
#[derive(Debug)]
pub(in crate::store) struct Malformed;

/// One record after the other.
pub(in crate::store) struct Records<'p> {
    lengths: std::str::Split<'p, char>,
    rest: &'p [u8],
}

impl<'p> Records<'p> {
    pub fn new(lengths: &'p str, records: &'p [u8]) -> Self {
        Self {
            lengths: lengths.split(','),
            rest: records,
        }
    }
}

impl<'p> Iterator for Records<'p> {
    type Item = Result<&'p [u8], Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = self.lengths.next()?;
        let cut = length
            .parse()
            .ok()
            .and_then(|length| self.rest.split_at_checked(length));
        let Some((record, rest)) = cut else {
            return Some(Err(Malformed));
        };
        self.rest = rest;
        Some(Ok(record))
    }
}

/// The numbers of a record's first line, and what follows it. NULL is `None`.
fn numbers<const N: usize>(record: &[u8]) -> Option<([Option<i64>; N], &[u8])> {
    let end = record.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&record[..end]).ok()?;
    let mut numbers = [None; N];
    let mut words = line.split(' ');
    for number in &mut numbers {
        let word = words.next()?;
        if !word.is_empty() {
            *number = Some(word.parse().ok()?);
        }
    }
    Some((numbers, &record[end + 1..]))
}

/// Takes `length` bytes off the end; none for a NULL.
fn take_last<'p>(bytes: &mut &'p [u8], length: Option<i64>) -> Option<&'p [u8]> {
    let length = usize::try_from(length.unwrap_or(0)).ok()?;
    let (rest, last) = bytes.split_at_checked(bytes.len().checked_sub(length)?)?;
    *bytes = rest;
    Some(last)
}

/// What a record holds of a payload.
#[derive(Debug, Clone, Copy)]
pub(super) enum Payload<'p> {
    /// All of it.
    Here(&'p [u8]),
    /// It is too long for a packed row and must be read by itself.
    Long,
    /// It was erased.
    Erased,
}

/// An event, as it is stored.
pub(super) struct EventRow<'p> {
    pub event_id: EventId,
    /// The hashed members but the digests, a line each; an empty line for NULL.
    pub members: &'p [u8],
    pub salt: &'p [u8],
    pub payload_digest: &'p [u8],
    pub prev_hash: &'p [u8],
    pub hash: &'p [u8],
    pub payload: Payload<'p>,
}

impl<'p> EventRow<'p> {
    pub fn parse(record: &'p [u8], longest: i64) -> Result<Self, Malformed> {
        Self::parsed(record, longest).ok_or(Malformed)
    }

    /// Its type, as it is stored.
    pub fn event_type(&self) -> &'p [u8] {
        let mut lines = self.members.split(|byte| *byte == b'\n');
        lines.nth(2).unwrap_or_default()
    }

    fn parsed(record: &'p [u8], longest: i64) -> Option<Self> {
        let ([event_id, salt, payload_digest, prev_hash, hash, payload], mut rest) =
            numbers(record)?;
        let payload = match payload {
            None => Payload::Erased,
            Some(length) if length > longest => Payload::Long,
            length => Payload::Here(take_last(&mut rest, length)?),
        };
        let hash = take_last(&mut rest, hash)?;
        let prev_hash = take_last(&mut rest, prev_hash)?;
        let payload_digest = take_last(&mut rest, payload_digest)?;
        let salt = take_last(&mut rest, salt)?;
        Some(Self {
            event_id: event_id?,
            members: rest,
            salt,
            payload_digest,
            prev_hash,
            hash,
            payload,
        })
    }
}

/// A commit, as it is stored.
#[derive(Debug, Clone)]
pub(in crate::store) struct CommitRow {
    pub commit_id: i64,
    pub at: i64,
    pub first_event_id: EventId,
    pub last_event_id: EventId,
    /// `None` when it is no digest at all.
    pub root: Option<Digest>,
    pub prev_hash: Option<Digest>,
    pub hash: Option<Digest>,
}

impl CommitRow {
    pub fn parse(record: &[u8]) -> Result<Self, Malformed> {
        Self::parsed(record).ok_or(Malformed)
    }

    /// True when its hash is what the formula gives.
    pub fn hash_holds(&self) -> bool {
        let (Some(root), Some(prev_hash), Some(hash)) = (self.root, self.prev_hash, self.hash)
        else {
            return false;
        };
        let record = CommitRecord {
            commit_id: self.commit_id,
            at: Timestamp::from_millis(self.at),
            first_event_id: self.first_event_id,
            last_event_id: self.last_event_id,
            root,
            prev_hash,
            hash,
        };
        record.at.millis() == self.at && commit_hash(&record) == hash
    }

    fn parsed(record: &[u8]) -> Option<Self> {
        let ([commit_id, at, first, last, root, prev_hash, hash], mut rest) = numbers(record)?;
        let hash = take_last(&mut rest, hash)?;
        let prev_hash = take_last(&mut rest, prev_hash)?;
        let root = take_last(&mut rest, root)?;
        Some(Self {
            commit_id: commit_id?,
            at: at?,
            first_event_id: first?,
            last_event_id: last?,
            root: root.try_into().ok(),
            prev_hash: prev_hash.try_into().ok(),
            hash: hash.try_into().ok(),
        })
    }
}
