SELECT commit_id, at, first_event_id, last_event_id FROM ledger_commit ORDER BY commit_id;
