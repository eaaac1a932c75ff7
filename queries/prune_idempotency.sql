-- Forgets what idempotency keys led to when they are too old, or too many have come since.
DELETE FROM idempotency
WHERE created_at < ?1
    OR created_at < (SELECT created_at FROM idempotency ORDER BY created_at DESC LIMIT 1 OFFSET ?2);
