-- Tells the copy the events of a list, in its order (CROSS JOIN keeps it). What was erased cannot be
-- told.
INSERT INTO main.event (event_id, thread_id, event_seq, event_type, turn_id, item_id, tool_use_id,
    approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest, prev_hash,
    hash)
SELECT event_id, thread_id, event_seq, event_type, turn_id, item_id, tool_use_id, approval_id,
    trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest, prev_hash, hash
FROM json_each(?1) AS told
CROSS JOIN ledger.event AS event ON event.event_id = told.value
WHERE event.payload IS NOT NULL;
