-- Evidence of turns
-- What proves how each turn ended, and what did it leave?
--
-- ended_at: when it ended
-- turn_id: the turn
-- status: succeeded, failed, partial, cancelled, blocked or budget_exhausted
-- first_event_seq: first event it covers
-- last_event_seq: last event it covers
-- event_digest: hash of that event, which covers all before it
-- output_digest: SHA-256 of the last assistant message
-- workspace_commit: commit of the workspace
-- effects_happened: changes that happened
-- effects_unknown: changes whose outcome nobody knows
-- approvals_approved: approvals given
-- approvals_refused: approvals refused
-- input_tokens: tokens read; NULL when unknown
-- output_tokens: tokens written; NULL when unknown
SELECT ended_at, turn_id, status, first_event_seq, last_event_seq, event_digest, output_digest,
    workspace_commit, effects_happened, effects_unknown, approvals_approved, approvals_refused,
    input_tokens, output_tokens
FROM audit_evidence
ORDER BY ended_at DESC, turn_id DESC;
