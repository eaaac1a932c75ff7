-- The head to note
-- What must be noted elsewhere so that a later removal or rollback of the ledger shows?
--
-- commit_id: the last commit
-- hash: its hash
-- at: when it was made
-- last_event_id: the last event it covers
SELECT commit_id, hash, at, last_event_id
FROM audit_commits
ORDER BY commit_id DESC
LIMIT 1;
