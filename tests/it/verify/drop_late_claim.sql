-- What retention does not: a key that is younger than one that is kept.
DELETE FROM idempotency WHERE created_at = (SELECT max(created_at) FROM idempotency);
