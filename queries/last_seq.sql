-- The place of a thread's last event.
SELECT max(event_seq) AS "seq?: i64"
FROM event
WHERE thread_id = ?1;
