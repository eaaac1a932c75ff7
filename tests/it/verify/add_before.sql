-- Something was said before the thread began.
PRAGMA ignore_check_constraints = ON;
INSERT INTO event SELECT (SELECT max(event_id) + 1 FROM event), thread_id, 0, event_type, turn_id, item_id,
    tool_use_id, approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest,
    prev_hash, hash
FROM event WHERE event_id = 4;
