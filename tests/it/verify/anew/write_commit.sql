UPDATE ledger_commit SET root = ?2, prev_hash = ?3, hash = ?4 WHERE commit_id = ?1;
