-- The last event of the store; none in an empty one.
SELECT max(event_id) AS "event_id?: i64"
FROM event;
