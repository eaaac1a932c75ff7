-- The thread began later.
DELETE FROM event WHERE event_id = 1;
