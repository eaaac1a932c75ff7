-- The last commit, as an auditor notes it.
SELECT commit_id || ':' || lower(hex(hash)) FROM ledger_commit ORDER BY commit_id DESC LIMIT 1;
