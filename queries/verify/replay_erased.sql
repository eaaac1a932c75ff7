-- The events that lost their payload to an erasure: the rows that they wrote cannot be told again. Deltas
-- write none.
INSERT INTO main.erased (event_type, thread_id, turn_id, item_id, approval_id, idempotency_key)
SELECT event_type, thread_id, turn_id, item_id, approval_id, idempotency_key
FROM ledger.event
WHERE event_type <> 'item.delta' AND payload IS NULL;
