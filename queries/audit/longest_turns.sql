-- The longest turns
-- Which hundred turns took the longest from admission to end?
--
-- duration_ms: from admission to end
-- evidence_status: its outcome
-- started_at: when it was admitted
-- model: the model asked
-- tool_calls: how many tools it called
-- thread_id: its thread
-- turn_id: the turn
SELECT duration_ms, evidence_status, started_at, model, tool_calls, thread_id, turn_id
FROM audit_turns
WHERE ended_at IS NOT NULL
ORDER BY duration_ms DESC, turn_id
LIMIT 100;
