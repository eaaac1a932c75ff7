-- The last commit, and with it the last event: where the next group goes on.
SELECT commit_id AS "commit_id!", last_event_id AS "last_event_id!", hash AS "hash!"
FROM ledger_commit
ORDER BY commit_id DESC
LIMIT 1;
