SELECT salt FROM event WHERE event_id = ?1;
