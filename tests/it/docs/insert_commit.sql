INSERT INTO ledger_commit (commit_id, at, first_event_id, last_event_id, root, prev_hash, hash)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);
