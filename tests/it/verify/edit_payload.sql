-- The user never said that.
UPDATE event SET payload = replace(payload, 'one', 'ten') WHERE event_id = 4;
