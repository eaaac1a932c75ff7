-- An erasure of everything that was said.
UPDATE event SET payload = NULL, salt = NULL;
