-- Changes nobody was asked about
-- Which commands ran and files were written on a rule or an earlier grant, without a question?
--
-- started_at: when it was committed that it would be tried
-- kind: file.write or process.exec
-- target: the path or the command line
-- permission_decision: allowed (a rule) or granted (an earlier answer)
-- state: happened, did_not_happen, unknown, or intended while it is open
-- turn_id: the turn
SELECT started_at, 'process.exec' AS kind, command AS target, permission_decision, state, turn_id
FROM audit_commands
WHERE permission_decision IN ('allowed', 'granted')
UNION ALL
SELECT started_at, 'file.write', path, permission_decision, state, turn_id
FROM audit_file_writes
WHERE permission_decision IN ('allowed', 'granted')
ORDER BY started_at DESC, target, turn_id;
