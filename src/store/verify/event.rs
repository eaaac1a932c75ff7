use sha2::{Digest as _, Sha256};

use super::report::{Finding, What};
use super::rows::{EventRow, Payload};
use crate::domain::{Digest, EventId, EventSeq};

/// First line of what is hashed of an event, as `store::ledger` has it.
const EVENT_FORMAT: &[u8] = b"threadkeep/event/v1\n";
/// Hashed members before the digests.
const MEMBERS: usize = 11;

/// An event whose members were read, and the digests it is chained by.
pub(super) struct Read<'p> {
    pub thread: &'p str,
    pub seq: EventSeq,
    pub event_type: &'p str,
    pub prev_hash: Digest,
    pub hash: Digest,
}

/// Where an event is.
pub(super) struct Place {
    pub event_id: EventId,
    pub thread: String,
    pub seq: EventSeq,
}

impl Place {
    pub fn of(row: &EventRow<'_>) -> Self {
        let mut lines = row.members.split(|byte| *byte == b'\n');
        let mut text = || String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
        Self {
            event_id: row.event_id,
            thread: text(),
            seq: text().parse().unwrap_or(0),
        }
    }

    /// A finding about the event.
    pub fn finding(&self, what: What, why: &str) -> Finding {
        let Self {
            event_id,
            thread,
            seq,
        } = self;
        let message = format!("event {event_id} (thread {thread}, event_seq {seq}): {why}");
        Finding::new(what, message)
            .at_event(*event_id)
            .in_thread(thread, *seq)
    }
}

/// Hashes events; `text` is kept so that it is allocated once.
#[derive(Default)]
pub(super) struct Hasher {
    text: Vec<u8>,
}

impl Hasher {
    /// Reads the members of an event if they are the ones that were hashed.
    pub fn read<'p>(&mut self, row: &EventRow<'p>) -> Option<Read<'p>> {
        let hash: Digest = row.hash.try_into().ok()?;
        let prev_hash: Digest = row.prev_hash.try_into().ok()?;
        let text = &mut self.text;
        text.clear();
        text.extend_from_slice(EVENT_FORMAT);
        let mut members: [&[u8]; MEMBERS] = [b""; MEMBERS];
        let mut lines = row.members.split(|byte| *byte == b'\n');
        for member in &mut members {
            *member = lines.next()?;
            // A missing member is hashed as "-", so none can be "-".
            match *member {
                b"-" => return None,
                b"" => text.push(b'-'),
                there => text.extend_from_slice(there),
            }
            text.push(b'\n');
        }
        // Each line was ended, and there are no more of them.
        if lines.next() != Some(b"") || lines.next().is_some() {
            return None;
        }
        push_hex(text, row.payload_digest);
        push_hex(text, row.prev_hash);
        if Digest::of(text) != hash {
            return None;
        }
        let [thread, seq, event_type, ..] = members.map(|member| std::str::from_utf8(member).ok());
        Some(Read {
            thread: thread?,
            seq: seq?.parse().ok()?,
            event_type: event_type?,
            prev_hash,
            hash,
        })
    }
}

/// True unless the payload is there and not the one that was hashed.
pub(super) fn payload_holds(row: &EventRow<'_>) -> bool {
    match row.payload {
        Payload::Here(payload) => payload_is(row.salt, payload, row.payload_digest),
        Payload::Long => true,
        // An erasure takes both.
        Payload::Erased => row.salt.is_empty(),
    }
}

pub(super) fn payload_is(salt: &[u8], payload: &[u8], digest: &[u8]) -> bool {
    let mut hasher = Sha256::new();
    hasher.update(salt);
    hasher.update(payload);
    hasher.finalize().as_slice() == digest
}

fn push_hex(text: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        text.extend_from_slice(&HEX[usize::from(*byte)]);
    }
    text.push(b'\n');
}

/// The two digits of each byte: this is done 64 times an event.
static HEX: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < pairs.len() {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};
