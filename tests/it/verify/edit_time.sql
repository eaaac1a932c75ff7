-- It was said an hour earlier.
UPDATE event SET at = at - 3600000 WHERE event_id = 4;
