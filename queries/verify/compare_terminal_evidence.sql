-- Rows of `terminal_evidence` that are not what the events say, with the columns that differ.
SELECT
    coalesce(kept.turn_id, told.turn_id) AS key,
    coalesce(kept.thread_id, told.thread_id) AS thread_id,
    coalesce(told.event_id, kept.event_id) AS event_id,
    told.turn_id IS NULL AS added,
    kept.turn_id IS NULL AS removed,
    concat_ws(', ',
        iif(kept.thread_id IS NOT told.thread_id, 'thread_id', NULL),
        iif(kept.status IS NOT told.status, 'status', NULL),
        iif(kept.event_digest IS NOT told.event_digest, 'event_digest', NULL),
        iif(kept.output_digest IS NOT told.output_digest, 'output_digest', NULL),
        iif(kept.first_event_seq IS NOT told.first_event_seq, 'first_event_seq', NULL),
        iif(kept.last_event_seq IS NOT told.last_event_seq, 'last_event_seq', NULL),
        iif(kept.artifact_ids IS NOT told.artifact_ids, 'artifact_ids', NULL),
        iif(kept.workspace_commit IS NOT told.workspace_commit, 'workspace_commit', NULL),
        iif(kept.test_receipt_ids IS NOT told.test_receipt_ids, 'test_receipt_ids', NULL),
        iif(kept.input_tokens IS NOT told.input_tokens, 'input_tokens', NULL),
        iif(kept.output_tokens IS NOT told.output_tokens, 'output_tokens', NULL),
        iif(kept.event_id IS NOT told.event_id, 'event_id', NULL),
        iif(kept.event_hash IS NOT told.event_hash, 'event_hash', NULL)
    ) AS columns
FROM ledger.terminal_evidence AS kept
FULL JOIN main.terminal_evidence AS told ON told.turn_id = kept.turn_id
WHERE columns <> ''
    AND coalesce(told.turn_id, kept.turn_id) NOT IN (SELECT turn_id FROM erased
        WHERE turn_id IS NOT NULL AND event_type GLOB 'turn.*')
LIMIT ?1;
