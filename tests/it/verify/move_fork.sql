-- The fork was made from elsewhere: its source is another event with the same place.
UPDATE event SET payload = replace(payload, '"eventId":3', '"eventId":2') WHERE event_type = 'thread.forked';
