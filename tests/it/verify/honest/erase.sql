UPDATE event SET payload = NULL, salt = NULL WHERE event_id % ?1 = ?2;
