-- Rows of `item` that are not what the events say, with the columns that differ.
SELECT
    coalesce(kept.item_id, told.item_id) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.item_id IS NULL AS added,
    kept.item_id IS NULL AS removed,
    concat_ws(', ',
        iif(kept.thread_id IS NOT told.thread_id, 'thread_id', NULL),
        iif(kept.turn_id IS NOT told.turn_id, 'turn_id', NULL),
        iif(kept.kind IS NOT told.kind, 'kind', NULL),
        iif(kept.status IS NOT told.status, 'status', NULL),
        iif(kept.parent_id IS NOT told.parent_id, 'parent_id', NULL),
        iif(kept.tool_use_id IS NOT told.tool_use_id, 'tool_use_id', NULL),
        iif(kept.created_at IS NOT told.created_at, 'created_at', NULL),
        iif(kept.completed_at IS NOT told.completed_at, 'completed_at', NULL),
        iif(kept.first_event_seq IS NOT told.first_event_seq, 'first_event_seq', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.item AS kept
FULL JOIN main.item AS told ON told.item_id = kept.item_id
WHERE columns <> ''
    AND coalesce(told.item_id, kept.item_id) NOT IN (SELECT item_id FROM erased
        WHERE item_id IS NOT NULL AND event_type GLOB 'item.*')
LIMIT ?1;
