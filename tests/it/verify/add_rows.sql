-- Rows that no event made: an approval that was given, a turn that succeeded.
INSERT INTO approval SELECT 'approval-x', thread_id, turn_id, item_id, tool_use_id, 'approved', 'acceptOnce',
    'host', operation_digest, policy_digest, 'nonce-x', expires_at, created_at, created_at,
    requested_event_id, event_id, event_hash FROM approval LIMIT 1;
INSERT INTO terminal_evidence SELECT 'turn-x', thread_id, status, event_digest, output_digest,
    first_event_seq, last_event_seq, artifact_ids, workspace_commit, test_receipt_ids, input_tokens,
    output_tokens, event_id, event_hash FROM terminal_evidence LIMIT 1;
