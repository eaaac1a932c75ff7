-- The events with the lines that are hashed before the digests, and where a fork says it was made.
SELECT event_id, thread_id, CAST(payload AS BLOB), salt, payload_digest, prev_hash,
    concat('threadkeep/event/v1', char(10), thread_id, char(10), event_seq, char(10), event_type, char(10),
        coalesce(turn_id, '-'), char(10), coalesce(item_id, '-'), char(10), coalesce(tool_use_id, '-'),
        char(10), coalesce(approval_id, '-'), char(10), coalesce(trace_id, '-'), char(10),
        coalesce(parent_id, '-'), char(10), coalesce(idempotency_key, '-'), char(10), at, char(10)),
    iif(event_type = 'thread.forked', payload ->> '$.source.eventId', NULL)
FROM event
ORDER BY event_id;
