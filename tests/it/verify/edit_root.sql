-- Another tree.
UPDATE ledger_commit SET root = zeroblob(32) WHERE commit_id = 2;
