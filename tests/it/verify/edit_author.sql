-- It happened in another thread.
UPDATE event SET thread_id = (SELECT thread_id FROM event WHERE event_id = 7), event_seq = 99
WHERE event_id = 5;
