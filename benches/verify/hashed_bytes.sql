-- Bytes that verifying hashes: salt and payload, and the members a line each with both digests in
-- hexadecimal.
SELECT sum(16 + octet_length(payload) + octet_length(concat_ws(char(10), 'threadkeep/event/v1', thread_id,
    event_seq, event_type, coalesce(turn_id, '-'), coalesce(item_id, '-'), coalesce(tool_use_id, '-'),
    coalesce(approval_id, '-'), coalesce(trace_id, '-'), coalesce(parent_id, '-'),
    coalesce(idempotency_key, '-'), at, '')) + 130)
FROM event;
