-- Two threads began the other way round.
PRAGMA ignore_check_constraints = ON;
UPDATE event SET event_id = -1 WHERE event_id = 1;
UPDATE event SET event_id = 1 WHERE event_id = 7;
UPDATE event SET event_id = 7 WHERE event_id = -1;
