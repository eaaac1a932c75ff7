-- Files and who wrote them last
-- For each file that was written: how often, and what should be in it now?
--
-- workspace: the workspace
-- path: the path, relative to it
-- writes: how often it was written
-- last_at: when last
-- digest: SHA-256 of its content then; `sha256sum` of the file shows whether anybody changed it since
-- turn_id: the turn that wrote it last
SELECT workspace, path, count(*) AS writes, max(started_at) AS last_at, after_digest AS digest, turn_id
FROM audit_file_writes
WHERE state = 'happened'
GROUP BY workspace, path
ORDER BY last_at DESC, workspace, path;
