-- One event less.
DELETE FROM event WHERE event_id = 4;
