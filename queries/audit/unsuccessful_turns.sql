-- Turns that did not succeed
-- Which ended turns have an outcome other than succeeded, and why?
--
-- ended_at: when it ended
-- evidence_status: failed, partial, cancelled, blocked or budget_exhausted
-- error_code: why, a stable word
-- error_message: why, for a person
-- model: the model asked
-- thread_title: title of its thread
-- thread_id: its thread
-- turn_id: the turn
SELECT ended_at, evidence_status, error_code, error_message, model, thread_title, thread_id, turn_id
FROM audit_turns
WHERE evidence_status <> 'succeeded'
ORDER BY ended_at DESC, turn_id DESC;
