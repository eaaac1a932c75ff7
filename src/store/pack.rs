use std::fmt::Write as _;

use super::group::Group;

/// A group of events in the shape `queries/append_group.sql` takes.
pub(super) struct Packed {
    pub rows: String,
    pub payloads: Vec<u8>,
    pub salts: Vec<u8>,
    pub payload_digests: Vec<u8>,
    pub prev_hashes: Vec<u8>,
    pub hashes: Vec<u8>,
}

impl Packed {
    pub fn of(group: &Group) -> Self {
        let count = group.events.len();
        let mut packed = Self {
            rows: String::with_capacity(count * 256),
            payloads: Vec::with_capacity(count * 256),
            salts: group.salts.concat(),
            payload_digests: Vec::with_capacity(count * 32),
            prev_hashes: Vec::with_capacity(count * 32),
            hashes: Vec::with_capacity(count * 32),
        };
        packed.rows.push('[');
        for event in &group.events {
            if packed.rows.len() > 1 {
                packed.rows.push(',');
            }
            packed.row(event);
            packed
                .payload_digests
                .extend_from_slice(event.payload_digest.as_bytes());
            packed
                .prev_hashes
                .extend_from_slice(event.prev_hash.as_bytes());
            packed.hashes.extend_from_slice(event.hash.as_bytes());
        }
        packed.rows.push(']');
        packed
    }

    fn row(&mut self, event: &super::event::Event) {
        let payload = event.payload.as_deref().unwrap_or_default();
        let position = self.payloads.len() + 1;
        self.payloads.extend_from_slice(payload.as_bytes());
        // No identifier or event type can hold a character that JSON escapes; writing to a
        // `String` cannot fail.
        let _ = write!(
            self.rows,
            "[{},\"{}\",{},\"{}\"",
            event.event_id, event.thread, event.seq, event.event_type
        );
        for reference in event.references() {
            self.text(reference);
        }
        let _ = write!(
            self.rows,
            ",{},{position},{}]",
            event.at.millis(),
            payload.len()
        );
    }

    fn text(&mut self, value: Option<&str>) {
        match value {
            Some(value) => {
                self.rows.push_str(",\"");
                self.rows.push_str(value);
                self.rows.push('"');
            }
            None => self.rows.push_str(",null"),
        }
    }
}
