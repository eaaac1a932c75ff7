SELECT count(*) FROM ledger_commit;
