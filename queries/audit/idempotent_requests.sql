-- Requests that happen once
-- Which requests came with an idempotency key, and what does a repetition of them lead to?
--
-- created_at: when it was carried out
-- method: the method
-- key: the key the caller chose
-- thread_id: the thread it led to
-- turn_id: the turn it led to
-- turn_status: what that turn is now
-- request_digest: SHA-256 of what was asked; the same key with another is refused
SELECT created_at, method, key, thread_id, turn_id, turn_status, request_digest
FROM audit_idempotency
ORDER BY created_at DESC, method, key;
