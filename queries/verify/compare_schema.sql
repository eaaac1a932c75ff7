-- What the schema holds that the migrations do not make, what it lacks of it, and what was changed.
SELECT
    coalesce(kept.type, told.type) AS type,
    coalesce(kept.name, told.name) AS name,
    told.name IS NULL AS added,
    kept.name IS NULL AS removed
FROM (SELECT * FROM ledger.sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\') AS kept
FULL JOIN (SELECT * FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\') AS told
    ON told.type = kept.type AND told.name = kept.name
WHERE kept.sql IS NOT told.sql OR kept.tbl_name IS NOT told.tbl_name
ORDER BY 1, 2
LIMIT ?1;
