-- The link itself.
UPDATE event SET hash = zeroblob(32) WHERE event_id = 4;
