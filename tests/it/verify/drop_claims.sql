-- What retention drops: the oldest keys.
DELETE FROM idempotency WHERE created_at < (SELECT max(created_at) FROM idempotency);
