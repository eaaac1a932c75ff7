-- Commands that did not end well
-- Which commands ended with an exit code other than 0, by a signal, or in a way nobody knows?
--
-- started_at: when it was committed that it would be run
-- command: the command line
-- state: happened or unknown
-- exit_code: its exit code; NULL when it did not end by itself
-- result: what the model read of its output
-- turn_id: the turn that ran it
SELECT started_at, command, state, exit_code, result, turn_id
FROM audit_commands
WHERE state IN ('happened', 'unknown') AND exit_code IS NOT 0
ORDER BY started_at DESC, effect_id DESC;
