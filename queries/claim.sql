-- What an idempotency key was used for.
SELECT request_digest AS "request_digest!", thread_id AS "thread_id!", turn_id
FROM idempotency
WHERE method = ?1 AND key = ?2;
