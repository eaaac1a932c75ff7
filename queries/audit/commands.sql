-- Commands that were run
-- Which commands were run, on what ground, and how did they end?
--
-- started_at: when it was committed that it would be run
-- command: the command line
-- state: happened, unknown, did_not_happen, or intended while it may be running
-- exit_code: its exit code; NULL when it did not end by itself
-- duration_ms: how long it took
-- permission_decision: allowed, approved or granted
-- workspace: where it ran
-- turn_id: the turn that ran it
SELECT started_at, command, state, exit_code, duration_ms, permission_decision, workspace, turn_id
FROM audit_commands
ORDER BY started_at DESC, effect_id DESC;
