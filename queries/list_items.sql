-- The items of a thread and of what it shares with its sources, oldest first. An item that was
-- still open where a fork leaves is taken as it stands now.
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
    item.item_id AS "item_id!",
    item.thread_id AS "thread_id!",
    item.turn_id AS "turn_id!",
    item.kind AS "kind!",
    item.status AS "status!",
    item.parent_id,
    item.tool_use_id,
    item.created_at AS "created_at!",
    item.completed_at,
    item.first_event_seq AS "first_event_seq!",
    event.payload
FROM lineage
CROSS JOIN turn ON turn.thread_id = lineage.thread_id
    AND turn.first_event_seq > coalesce(lineage.fork_event_seq, 0)
    AND turn.first_event_seq <= lineage.last_seq
CROSS JOIN item ON item.turn_id = turn.turn_id AND item.first_event_seq <= lineage.last_seq
JOIN event ON event.event_id = item.event_id
ORDER BY item.first_event_seq;
