-- How many files did a turn write or try to?
SELECT count(*) AS "count!: i64"
FROM effect
WHERE turn_id = ?1 AND kind = 'file.write';
