-- The threads that changed last, newest first.
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
FROM (
    SELECT *
    FROM thread
    WHERE ?1 OR status <> 'archived'
    ORDER BY updated_at DESC, event_id DESC
    LIMIT ?2
) AS thread
JOIN event AS head
    ON head.thread_id = thread.thread_id
    AND head.event_seq = (SELECT max(event_seq) FROM event WHERE thread_id = thread.thread_id)
ORDER BY thread.updated_at DESC, thread.event_id DESC;
