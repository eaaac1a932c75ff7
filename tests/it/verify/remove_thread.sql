-- A thread that never was.
DELETE FROM event WHERE thread_id = (SELECT thread_id FROM event WHERE event_id = 7);
