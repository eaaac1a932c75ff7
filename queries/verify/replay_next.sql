-- The next event after one of them; none after the last.
SELECT min(event_id) AS event_id
FROM ledger.event
WHERE event_id > ?1;
