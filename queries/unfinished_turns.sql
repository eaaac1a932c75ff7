-- Turns that have not ended, of every process.
SELECT
    turn.turn_id AS "turn_id!",
    turn.thread_id AS "thread_id!",
    turn.status AS "status!",
    turn.owner_id AS "owner_id!",
    turn.epoch AS "epoch!",
    turn.model AS "model!",
    turn.created_at AS "created_at!",
    turn.completed_at,
    turn.error_code,
    turn.error_message,
    turn.first_event_seq AS "first_event_seq!",
    turn.revision AS "revision!",
    evidence.status AS "evidence_status?",
    evidence.event_digest AS "event_digest?",
    evidence.output_digest AS "output_digest?",
    evidence.last_event_seq AS "last_event_seq?",
    evidence.artifact_ids AS "artifact_ids?",
    evidence.workspace_commit AS "workspace_commit?",
    evidence.test_receipt_ids AS "test_receipt_ids?",
    evidence.input_tokens AS "input_tokens?",
    evidence.output_tokens AS "output_tokens?",
    started.payload ->> '$.continues' AS "continues?: String",
    started.payload ->> '$.permissionMode' AS "permission_mode?: String"
FROM turn
LEFT JOIN terminal_evidence AS evidence ON evidence.turn_id = turn.turn_id
LEFT JOIN event AS started ON started.thread_id = turn.thread_id
    AND started.event_seq = turn.first_event_seq
WHERE turn.completed_at IS NULL
ORDER BY turn.event_id;
