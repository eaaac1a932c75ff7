-- Rows of `turn` that are not what the events say, with the columns that differ.
SELECT
    coalesce(kept.turn_id, told.turn_id) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.turn_id IS NULL AS added,
    kept.turn_id IS NULL AS removed,
    concat_ws(', ',
        iif(kept.thread_id IS NOT told.thread_id, 'thread_id', NULL),
        iif(kept.status IS NOT told.status, 'status', NULL),
        iif(kept.owner_id IS NOT told.owner_id, 'owner_id', NULL),
        iif(kept.epoch IS NOT told.epoch, 'epoch', NULL),
        iif(kept.model IS NOT told.model, 'model', NULL),
        iif(kept.created_at IS NOT told.created_at, 'created_at', NULL),
        iif(kept.completed_at IS NOT told.completed_at, 'completed_at', NULL),
        iif(kept.error_code IS NOT told.error_code, 'error_code', NULL),
        iif(kept.error_message IS NOT told.error_message, 'error_message', NULL),
        iif(kept.first_event_seq IS NOT told.first_event_seq, 'first_event_seq', NULL),
        iif(kept.revision IS NOT told.revision, 'revision', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.turn AS kept
FULL JOIN main.turn AS told ON told.turn_id = kept.turn_id
WHERE columns <> ''
    AND coalesce(told.turn_id, kept.turn_id) NOT IN (SELECT turn_id FROM erased
        WHERE turn_id IS NOT NULL AND (event_type GLOB 'turn.*' OR event_type GLOB 'approval.*'))
LIMIT ?1;
