-- Rows of `idempotency` that are not what the events say. A row that retention may have dropped is not
-- missed: old rows go first, so none may be gone while one that is older in every respect is kept.
SELECT
    coalesce(kept.method, told.method) || ' ' || coalesce(kept.key, told.key) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.method IS NULL AS added,
    kept.method IS NULL AS removed,
    concat_ws(', ',
        iif(kept.request_digest IS NOT told.request_digest, 'request_digest', NULL),
        iif(kept.thread_id IS NOT told.thread_id, 'thread_id', NULL),
        iif(kept.turn_id IS NOT told.turn_id, 'turn_id', NULL),
        iif(kept.created_at IS NOT told.created_at, 'created_at', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.idempotency AS kept
FULL JOIN main.idempotency AS told ON told.method = kept.method AND told.key = kept.key
WHERE columns <> ''
    AND coalesce(told.key, kept.key) NOT IN (SELECT idempotency_key FROM erased
        WHERE idempotency_key IS NOT NULL)
    AND NOT (kept.method IS NULL AND NOT EXISTS (
        SELECT 1 FROM ledger.idempotency AS older
        WHERE older.event_id < told.event_id AND older.created_at <= told.created_at))
LIMIT ?1;
