-- What an erasure leaves of every event of the turns.
UPDATE event SET payload = NULL, salt = NULL WHERE turn_id IS NOT NULL;
