-- Files that were written
-- Which files were written by which turn, from what content to what?
--
-- started_at: when it was committed that it would be written
-- path: the path, relative to the workspace
-- state: happened, did_not_happen, unknown, or intended while it is open
-- before_digest: SHA-256 of the content before; NULL when there was no file
-- after_digest: SHA-256 of the content after
-- permission_decision: allowed, approved or granted
-- workspace: the workspace
-- turn_id: the turn that wrote it
SELECT started_at, path, state, before_digest, after_digest, permission_decision, workspace, turn_id
FROM audit_file_writes
ORDER BY started_at DESC, effect_id DESC;
