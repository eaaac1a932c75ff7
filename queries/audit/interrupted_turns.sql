-- Interrupted turns
-- Which turns were interrupted, why, and did they leave anything of unknown outcome?
--
-- ended_at: when it ended
-- error_code: interrupted (it was told to stop), owner_died (its process was gone) …
-- error_message: the same for a person
-- effects_unknown: changes outside the ledger whose outcome nobody knows
-- duration_ms: how long it had run
-- thread_id: its thread
-- turn_id: the turn
SELECT ended_at, error_code, error_message, effects_unknown, duration_ms, thread_id, turn_id
FROM audit_turns
WHERE status = 'interrupted'
ORDER BY ended_at DESC, turn_id DESC;
