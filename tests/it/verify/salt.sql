-- Looks like half an erasure: the salt is gone, the payload stays.
PRAGMA ignore_check_constraints = ON;
UPDATE event SET salt = NULL WHERE event_id = 4;
