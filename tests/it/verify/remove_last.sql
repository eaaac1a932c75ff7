-- The last turn never happened: its last transaction is gone whole.
DELETE FROM event WHERE event_id = (SELECT last_event_id FROM ledger_commit ORDER BY commit_id DESC LIMIT 1);
DELETE FROM ledger_commit WHERE commit_id = (SELECT max(commit_id) FROM ledger_commit);
