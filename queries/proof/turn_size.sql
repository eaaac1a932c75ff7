-- How many events a part of a thread has, and how many bytes of payload.
SELECT
    count(*) AS "events!: i64",
    coalesce(sum(octet_length(payload)), 0) AS "bytes!: i64"
FROM event
WHERE thread_id = ?1 AND event_seq BETWEEN ?2 AND ?3;
