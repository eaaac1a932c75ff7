-- Nothing is as it was.
UPDATE event SET at = at + 1;
UPDATE thread SET created_at = created_at + 1;
