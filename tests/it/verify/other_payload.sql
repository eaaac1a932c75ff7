-- Payload and digest of another event: they fit each other, not the event.
UPDATE event SET (payload, salt, payload_digest)
    = (SELECT payload, salt, payload_digest FROM event WHERE event_id = 10)
WHERE event_id = 4;
