-- The views and their columns, in order.
SELECT sqlite_schema.name || '.' || info.name
FROM sqlite_schema, pragma_table_info(sqlite_schema.name) AS info
WHERE sqlite_schema.type = 'view'
ORDER BY sqlite_schema.name, info.cid;
