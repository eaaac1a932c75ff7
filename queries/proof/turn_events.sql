-- The events of a part of a thread with all that is hashed, in their order.
SELECT
    event_id AS "event_id!",
    thread_id AS "thread_id!",
    event_seq AS "event_seq!",
    event_type AS "event_type!",
    turn_id,
    item_id,
    tool_use_id,
    approval_id,
    trace_id,
    parent_id,
    idempotency_key,
    at AS "at!",
    payload,
    salt,
    payload_digest AS "payload_digest!",
    prev_hash AS "prev_hash!",
    hash AS "hash!"
FROM event
WHERE thread_id = ?1 AND event_seq BETWEEN ?2 AND ?3
ORDER BY event_seq;
