INSERT INTO event (event_id, thread_id, event_seq, event_type, idempotency_key, at, payload, salt,
    payload_digest, prev_hash, hash)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11);
