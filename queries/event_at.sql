-- Where a fork leaves its source: the event at a place of a thread's lineage.
WITH RECURSIVE lineage (thread_id, last_seq, parent_thread_id, fork_event_seq) AS (
    SELECT thread_id, 9223372036854775807, parent_thread_id, fork_event_seq
    FROM thread
    WHERE thread_id = ?1
    UNION ALL
    SELECT source.thread_id, min(fork.last_seq, fork.fork_event_seq), source.parent_thread_id, source.fork_event_seq
    FROM lineage AS fork
    JOIN thread AS source ON source.thread_id = fork.parent_thread_id
)
SELECT event.thread_id AS "thread_id!", event.event_id AS "event_id!", event.hash AS "hash!"
FROM lineage
CROSS JOIN event ON event.thread_id = lineage.thread_id AND event.event_seq = ?2
WHERE event.event_seq > coalesce(lineage.fork_event_seq, 0) AND event.event_seq <= lineage.last_seq;
