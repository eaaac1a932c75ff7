-- The threads that lost more than deltas to an erasure: their projections cannot be told again.
INSERT INTO main.erased_thread (thread_id)
SELECT DISTINCT thread_id
FROM ledger.event
WHERE event_type <> 'item.delta' AND payload IS NULL;
