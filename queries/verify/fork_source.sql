-- The event that a fork says it leaves its source at; none when there is no such event before it.
SELECT source.thread_id AS "thread_id!", source.event_seq AS "event_seq!", source.hash AS "hash!"
FROM (
    SELECT event_id, payload ->> '$.source.eventId' AS source_id, payload ->> '$.source.eventSeq' AS source_seq
    FROM event
    WHERE event_id = ?1 AND json_valid(payload)
) AS fork
JOIN event AS source ON source.event_id = fork.source_id AND source.event_seq = fork.source_seq
WHERE source.event_id < fork.event_id;
