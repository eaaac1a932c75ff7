-- One value of one row of a projection.
PRAGMA ignore_check_constraints = ON;
UPDATE {table}
SET {column} = CASE (SELECT type FROM pragma_table_info('{table}') WHERE name = '{column}')
    WHEN 'TEXT' THEN coalesce({column}, '') || 'x'
    WHEN 'INTEGER' THEN coalesce({column}, 0) + 1
    ELSE zeroblob(32) END
WHERE {key} = (SELECT max({key}) FROM {table});
