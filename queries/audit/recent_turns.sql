-- Turns of the last day
-- Which turns were started in the last 24 hours, and what came of them?
--
-- started_at: when it was admitted
-- status: what it is now
-- evidence_status: its outcome; NULL while it runs
-- duration_ms: from admission to end
-- model: the model asked
-- thread_title: title of its thread
-- thread_id: its thread
-- turn_id: the turn
-- asked: what the user said
SELECT started_at, status, evidence_status, duration_ms, model, thread_title, thread_id, turn_id, asked
FROM audit_turns
WHERE started_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day')
ORDER BY started_at DESC, turn_id DESC;
