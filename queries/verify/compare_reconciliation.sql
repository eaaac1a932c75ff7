-- Rows of `reconciliation` that are not what the events say, with the columns that differ.
SELECT
    coalesce(kept.effect_id, told.effect_id) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.effect_id IS NULL AS added,
    kept.effect_id IS NULL AS removed,
    concat_ws(', ',
        iif(kept.thread_id IS NOT told.thread_id, 'thread_id', NULL),
        iif(kept.outcome IS NOT told.outcome, 'outcome', NULL),
        iif(kept.settled_event_id IS NOT told.settled_event_id, 'settled_event_id', NULL),
        iif(kept.at IS NOT told.at, 'at', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.reconciliation AS kept
FULL JOIN main.reconciliation AS told ON told.effect_id = kept.effect_id
WHERE columns <> ''
    AND coalesce(told.thread_id, kept.thread_id) NOT IN (SELECT thread_id FROM erased
        WHERE event_type GLOB 'effect.*')
LIMIT ?1;
