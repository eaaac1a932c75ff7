-- Is the name of a turn taken, in whatever thread?
SELECT count(*) AS "count!: i64"
FROM turn
WHERE turn_id = ?1;
