-- Rows of `thread` that are not what the events say, with the columns that differ.
SELECT
    coalesce(kept.thread_id, told.thread_id) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.thread_id IS NULL AS added,
    kept.thread_id IS NULL AS removed,
    concat_ws(', ',
        iif(kept.status IS NOT told.status, 'status', NULL),
        iif(kept.title IS NOT told.title, 'title', NULL),
        iif(kept.metadata IS NOT told.metadata, 'metadata', NULL),
        iif(kept.active_turn_id IS NOT told.active_turn_id, 'active_turn_id', NULL),
        iif(kept.parent_thread_id IS NOT told.parent_thread_id, 'parent_thread_id', NULL),
        iif(kept.fork_event_seq IS NOT told.fork_event_seq, 'fork_event_seq', NULL),
        iif(kept.created_at IS NOT told.created_at, 'created_at', NULL),
        iif(kept.updated_at IS NOT told.updated_at, 'updated_at', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.thread AS kept
FULL JOIN main.thread AS told ON told.thread_id = kept.thread_id
WHERE columns <> ''
    AND coalesce(told.thread_id, kept.thread_id) NOT IN (SELECT thread_id FROM erased
        WHERE event_type GLOB 'thread.*' OR event_type GLOB 'turn.*')
LIMIT ?1;
