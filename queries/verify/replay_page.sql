-- Tells the copy the events from one to another. A delta changes no projection, and what was erased
-- cannot be told.
INSERT INTO main.event (event_id, thread_id, event_seq, event_type, turn_id, item_id, tool_use_id,
    approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest, prev_hash,
    hash)
SELECT event_id, thread_id, event_seq, event_type, turn_id, item_id, tool_use_id, approval_id,
    trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest, prev_hash, hash
FROM ledger.event
WHERE event_id BETWEEN ?1 AND ?2 AND event_type <> 'item.delta' AND payload IS NOT NULL
ORDER BY event_id;
