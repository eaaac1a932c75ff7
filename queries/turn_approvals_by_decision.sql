-- How many approvals of a turn were decided how, and by whom or what?
SELECT status AS "status!", decision, via, count(*) AS "count!: i64"
FROM approval
WHERE turn_id = ?1
GROUP BY status, decision, via
ORDER BY status, decision, via;
