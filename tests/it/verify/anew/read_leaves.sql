SELECT hash FROM event WHERE event_id BETWEEN ?1 AND ?2 ORDER BY event_id;
