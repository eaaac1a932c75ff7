-- The events of a thread after a place in it. What a fork shares with its source is read from the
-- source: `lineage` holds each thread on the way and the places that are taken from it.
WITH RECURSIVE lineage (thread_id, last_seq, parent_thread_id, fork_event_seq) AS (
    SELECT thread_id, 9223372036854775807, parent_thread_id, fork_event_seq
    FROM thread
    WHERE thread_id = ?1
    UNION ALL
    SELECT source.thread_id, min(fork.last_seq, fork.fork_event_seq), source.parent_thread_id, source.fork_event_seq
    FROM lineage AS fork
    JOIN thread AS source ON source.thread_id = fork.parent_thread_id
)
SELECT
    event.event_id AS "event_id!",
    event.thread_id AS "thread_id!",
    event.event_seq AS "event_seq!",
    event.event_type AS "event_type!",
    event.turn_id,
    event.item_id,
    event.tool_use_id,
    event.approval_id,
    event.trace_id,
    event.parent_id,
    event.idempotency_key,
    event.at AS "at!",
    event.payload,
    event.payload_digest AS "payload_digest!",
    event.prev_hash AS "prev_hash!",
    event.hash AS "hash!"
FROM lineage
CROSS JOIN event ON event.thread_id = lineage.thread_id
WHERE event.event_seq > max(?2, coalesce(lineage.fork_event_seq, 0))
    AND event.event_seq <= lineage.last_seq
ORDER BY event.event_seq
LIMIT ?3;
