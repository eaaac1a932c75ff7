-- Rows of `approval` that are not what the events say, with the columns that differ.
SELECT
    coalesce(kept.approval_id, told.approval_id) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.approval_id IS NULL AS added,
    kept.approval_id IS NULL AS removed,
    concat_ws(', ',
        iif(kept.thread_id IS NOT told.thread_id, 'thread_id', NULL),
        iif(kept.turn_id IS NOT told.turn_id, 'turn_id', NULL),
        iif(kept.item_id IS NOT told.item_id, 'item_id', NULL),
        iif(kept.tool_use_id IS NOT told.tool_use_id, 'tool_use_id', NULL),
        iif(kept.status IS NOT told.status, 'status', NULL),
        iif(kept.decision IS NOT told.decision, 'decision', NULL),
        iif(kept.via IS NOT told.via, 'via', NULL),
        iif(kept.operation_digest IS NOT told.operation_digest, 'operation_digest', NULL),
        iif(kept.policy_digest IS NOT told.policy_digest, 'policy_digest', NULL),
        iif(kept.nonce IS NOT told.nonce, 'nonce', NULL),
        iif(kept.expires_at IS NOT told.expires_at, 'expires_at', NULL),
        iif(kept.created_at IS NOT told.created_at, 'created_at', NULL),
        iif(kept.resolved_at IS NOT told.resolved_at, 'resolved_at', NULL),
        iif(kept.requested_event_id IS NOT told.requested_event_id, 'requested_event_id', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.approval AS kept
FULL JOIN main.approval AS told ON told.approval_id = kept.approval_id
WHERE columns <> ''
    AND coalesce(told.approval_id, kept.approval_id) NOT IN (SELECT approval_id FROM erased
        WHERE approval_id IS NOT NULL)
LIMIT ?1;
