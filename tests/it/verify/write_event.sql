UPDATE event SET payload = ?2, payload_digest = ?3, prev_hash = ?4, hash = ?5 WHERE event_id = ?1;
