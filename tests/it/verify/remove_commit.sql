-- A transaction that never was; its events stay.
DELETE FROM ledger_commit WHERE commit_id = 2;
