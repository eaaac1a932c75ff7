-- The bytes of one payload.
SELECT CAST(payload AS BLOB) AS "payload?: Vec<u8>"
FROM event
WHERE event_id = ?1;
