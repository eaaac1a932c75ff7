-- Rows of `effect` that are not what the events say, with the columns that differ.
SELECT
    coalesce(kept.effect_id, told.effect_id) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.effect_id IS NULL AS added,
    kept.effect_id IS NULL AS removed,
    concat_ws(', ',
        iif(kept.thread_id IS NOT told.thread_id, 'thread_id', NULL),
        iif(kept.turn_id IS NOT told.turn_id, 'turn_id', NULL),
        iif(kept.item_id IS NOT told.item_id, 'item_id', NULL),
        iif(kept.tool_use_id IS NOT told.tool_use_id, 'tool_use_id', NULL),
        iif(kept.kind IS NOT told.kind, 'kind', NULL),
        iif(kept.target IS NOT told.target, 'target', NULL),
        iif(kept.state IS NOT told.state, 'state', NULL),
        iif(kept.before_digest IS NOT told.before_digest, 'before_digest', NULL),
        iif(kept.after_digest IS NOT told.after_digest, 'after_digest', NULL),
        iif(kept.exit_code IS NOT told.exit_code, 'exit_code', NULL),
        iif(kept.created_at IS NOT told.created_at, 'created_at', NULL),
        iif(kept.settled_at IS NOT told.settled_at, 'settled_at', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.effect AS kept
FULL JOIN main.effect AS told ON told.effect_id = kept.effect_id
WHERE columns <> ''
    AND coalesce(told.item_id, kept.item_id) NOT IN (SELECT item_id FROM erased
        WHERE item_id IS NOT NULL AND event_type GLOB 'effect.*')
LIMIT ?1;
