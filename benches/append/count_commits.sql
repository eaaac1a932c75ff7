-- How many transactions does the ledger hold?
SELECT count(*) FROM ledger_commit;
