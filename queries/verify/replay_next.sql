-- Events after one of them that are to be told, as a list. A delta changes no projection.
SELECT event_id
FROM ledger.event
WHERE event_id > ?1 AND event_type <> 'item.delta'
ORDER BY event_id
LIMIT ?2;
