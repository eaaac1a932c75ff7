-- Shared by a thread and its fork.
UPDATE event SET at = at + 1 WHERE event_id = 3;
