-- What the writer must know of a thread to judge a command: its status, the turn that runs and
-- under which owner and epoch, and the head of its chain.
SELECT
    thread.status AS "status!",
    turn.turn_id AS "turn_id?",
    turn.owner_id AS "owner_id?",
    turn.epoch AS "epoch?",
    head.event_seq AS "event_seq!",
    head.hash AS "hash!"
FROM thread
JOIN event AS head ON head.thread_id = thread.thread_id
LEFT JOIN turn ON turn.turn_id = thread.active_turn_id
WHERE thread.thread_id = ?1
ORDER BY head.event_seq DESC
LIMIT 1;
