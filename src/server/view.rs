//! Records of the store as objects of the wire.

use serde_json::value::RawValue;

use crate::domain::EffectState;
use crate::protocol::{self, Effect, EffectCounts, Evidence, Reconciled, Thread, Turn, Usage};
use crate::store::{self, EffectRecord, Event, EvidenceRecord, ThreadRecord, TurnRecord};

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

pub(crate) fn effect(record: &EffectRecord) -> Effect<'_> {
    Effect {
        id: &record.id,
        thread_id: &record.thread,
        turn_id: &record.turn,
        item_id: &record.item,
        tool_use_id: &record.tool_use,
        kind: &record.kind,
        target: &record.target,
        state: record.state,
        before: record.before,
        after: record.after,
        exit_code: record.exit_code,
        created_at: record.created_at,
        settled_at: record.settled_at,
        reconciled: record.reconciled.as_ref().map(|found| Reconciled {
            outcome: found.outcome,
            at: found.at,
            actor: found.actor.as_deref(),
            note: found.note.as_deref(),
        }),
    }
}

pub(crate) fn turn_evidence(record: &store::TurnEvidence) -> protocol::TurnEvidence<'_> {
    let terminal = &record.terminal;
    protocol::TurnEvidence {
        thread_id: &record.turn.thread,
        turn_id: &record.turn.id,
        turn_status: record.turn.status,
        status: terminal.status,
        ended_at: record.turn.completed_at,
        first_event_seq: terminal.first_event_seq,
        last_event_seq: terminal.last_event_seq,
        prev_hash: record.prev_hash,
        event_digest: terminal.event_digest,
        commit_id: record.commit_id,
        commit_hash: record.commit_hash,
        output_digest: terminal.output_digest,
        usage: Usage {
            input_tokens: terminal.input_tokens,
            output_tokens: terminal.output_tokens,
        },
        effects: counts(&record.effects),
        approvals: record.approvals.iter().map(approvals).collect(),
        file_writes: record.file_writes.iter().map(file_write).collect(),
        file_writes_omitted: record.file_writes_omitted,
        commit: terminal.commit.as_deref(),
        artifact_ids: &terminal.artifact_ids,
        test_receipt_ids: &terminal.test_receipt_ids,
    }
}

fn counts(effects: &[(EffectState, i64)]) -> EffectCounts {
    let mut counts = EffectCounts::default();
    for (state, count) in effects {
        match state {
            EffectState::Happened => counts.happened += count,
            EffectState::DidNotHappen => counts.did_not_happen += count,
            EffectState::Intended | EffectState::Unknown => counts.unknown += count,
        }
    }
    counts
}

fn approvals(alike: &store::ApprovalCount) -> protocol::ApprovalCount<'_> {
    protocol::ApprovalCount {
        status: &alike.status,
        decision: alike.decision.as_deref(),
        via: alike.via.as_deref(),
        count: alike.count,
    }
}

fn file_write(write: &store::FileWrite) -> protocol::FileWrite<'_> {
    protocol::FileWrite {
        effect_id: &write.effect,
        path: &write.path,
        state: write.state,
        before: write.before,
        after: write.after,
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
