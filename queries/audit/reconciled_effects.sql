-- Effects somebody looked into
-- Which changes of unknown outcome were looked into, by whom, and what was found?
--
-- reconciled_at: when it was recorded
-- reconciled_by: who found out
-- reconciled_outcome: happened or did_not_happen
-- reconciled_note: how it was found out
-- kind: file.write, process.exec …
-- target: the path or the command line
-- effect_id: the effect
-- turn_id: the turn
-- thread_id: its thread
SELECT reconciled_at, reconciled_by, reconciled_outcome, reconciled_note, kind, target, effect_id, turn_id, thread_id
FROM audit_effects
WHERE reconciled_outcome IS NOT NULL
ORDER BY reconciled_at DESC, effect_id DESC;
