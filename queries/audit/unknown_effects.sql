-- Effects of unknown outcome
-- Which changes outside the ledger may have happened in whole or in part, and need a look?
--
-- intended_at: when it was committed that it would be tried
-- state: unknown; or intended: no receipt yet
-- kind: file.write, process.exec …
-- target: the path or the command line
-- before_digest: for files, SHA-256 of the content before
-- after_digest: for files, SHA-256 of the content it was to have
-- details: what else is known, JSON
-- turn_id: the turn
-- thread_id: its thread
SELECT intended_at, state, kind, target, before_digest, after_digest, details, turn_id, thread_id
FROM audit_effects
WHERE state IN ('unknown', 'intended')
ORDER BY intended_at DESC, effect_id DESC;
