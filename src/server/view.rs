//! Records of the store as objects of the wire.

use serde_json::value::RawValue;

use crate::protocol::{self, Evidence, Thread, Turn};
use crate::store::{Event, EvidenceRecord, ThreadRecord, TurnRecord};

pub(super) fn thread(record: &ThreadRecord) -> Thread<'_> {
    Thread {
        id: &record.id,
        status: record.status,
        title: record.title.as_deref(),
        parent_thread_id: record.parent.as_ref(),
        metadata: &record.metadata,
        created_at: record.created_at,
        updated_at: record.updated_at,
        revision: record.revision,
        head_hash: record.head,
    }
}

pub(crate) fn turn(record: &TurnRecord) -> Turn<'_> {
    Turn {
        id: &record.id,
        thread_id: &record.thread,
        status: record.status,
        created_at: record.created_at,
        completed_at: record.completed_at,
        revision: record.revision,
        terminal_evidence: record.evidence.as_ref().map(evidence),
    }
}

fn evidence(record: &EvidenceRecord) -> Evidence<'_> {
    Evidence {
        status: record.status,
        event_digest: record.event_digest,
        output_digest: record.output_digest,
        artifact_ids: &record.artifact_ids,
        commit: record.commit.as_deref(),
        test_receipt_ids: &record.test_receipt_ids,
    }
}

pub(crate) fn event(event: &Event) -> serde_json::Result<protocol::Event<'_>> {
    let payload = event.payload.as_deref();
    Ok(protocol::Event {
        schema: protocol::Event::SCHEMA,
        schema_version: protocol::Event::SCHEMA_VERSION,
        thread_id: &event.thread,
        turn_id: event.turn.as_ref(),
        item_id: event.item.as_ref(),
        event_seq: event.seq,
        event_type: &event.event_type,
        tool_use_id: event.tool_use.as_ref(),
        approval_id: event.approval.as_ref(),
        trace_id: event.trace.as_ref(),
        parent_id: event.parent.as_ref(),
        idempotency_key: event.key.as_ref(),
        timestamp: event.at,
        payload: payload.map(serde_json::from_str::<&RawValue>).transpose()?,
        prev_hash: event.prev_hash,
        hash: event.hash,
    })
}
