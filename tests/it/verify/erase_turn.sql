-- An erasure of all that was said in a turn.
UPDATE event SET payload = NULL, salt = NULL WHERE turn_id = '{turn}';
