-- The thread of a turn.
SELECT thread_id AS "thread_id!"
FROM turn
WHERE turn_id = ?1;
