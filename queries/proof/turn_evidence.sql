-- A turn and its terminal evidence, as it is stored; the latter is NULL while the turn runs.
SELECT
    turn.thread_id AS "thread_id!",
    evidence.status AS "status?",
    evidence.event_digest AS "event_digest?",
    evidence.output_digest AS "output_digest?",
    evidence.first_event_seq AS "first_event_seq?",
    evidence.last_event_seq AS "last_event_seq?",
    evidence.artifact_ids AS "artifact_ids?",
    evidence.workspace_commit AS "workspace_commit?",
    evidence.test_receipt_ids AS "test_receipt_ids?",
    evidence.input_tokens AS "input_tokens?",
    evidence.output_tokens AS "output_tokens?",
    evidence.event_id AS "event_id?",
    evidence.event_hash AS "event_hash?"
FROM turn
LEFT JOIN terminal_evidence AS evidence ON evidence.turn_id = turn.turn_id
WHERE turn.turn_id = ?1;
