-- Turns that have not ended
-- Which turns run or wait now, since when, and under which process?
--
-- started_at: when it was admitted
-- status: running, waiting_approval, waiting_input or queued
-- owner_id: the process that runs it
-- model: the model asked
-- effects_unknown: changes outside the ledger that are under way or of unknown outcome
-- thread_id: its thread
-- turn_id: the turn
SELECT started_at, status, owner_id, model, effects_unknown, thread_id, turn_id
FROM audit_turns
WHERE ended_at IS NULL
ORDER BY started_at, turn_id;
