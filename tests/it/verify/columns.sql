-- The projections and their columns, with the first column of the key.
SELECT tables.name, info.name,
    (SELECT name FROM pragma_table_info(tables.name) WHERE pk = 1)
FROM (SELECT name FROM sqlite_schema WHERE name IN ('thread', 'turn', 'item', 'approval', 'effect',
    'reconciliation', 'terminal_evidence', 'idempotency')) AS tables, pragma_table_info(tables.name) AS info
ORDER BY 1, info.cid;
