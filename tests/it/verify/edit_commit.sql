-- A commit at another time.
UPDATE ledger_commit SET at = at + 1 WHERE commit_id = 2;
