-- How many effects of a turn have an outcome nobody knows?
SELECT count(*) AS "count!: i64"
FROM effect
WHERE turn_id = ?1 AND state IN ('intended', 'unknown');
