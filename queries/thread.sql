-- One thread as it stands, with the head of its chain.
SELECT
    thread.thread_id AS "thread_id!",
    thread.status AS "status!",
    thread.title,
    thread.metadata AS "metadata!",
    thread.parent_thread_id,
    thread.active_turn_id,
    thread.created_at AS "created_at!",
    thread.updated_at AS "updated_at!",
    head.event_seq AS "revision!",
    head.hash AS "head!"
FROM thread
JOIN event AS head ON head.thread_id = thread.thread_id
WHERE thread.thread_id = ?1
ORDER BY head.event_seq DESC
LIMIT 1;
