UPDATE event SET payload_digest = ?2, prev_hash = ?3, hash = ?4 WHERE event_id = ?1;
