-- How many effects of a turn ended in each state?
SELECT state AS "state!", count(*) AS "count!: i64"
FROM effect
WHERE turn_id = ?1
GROUP BY state
ORDER BY state;
