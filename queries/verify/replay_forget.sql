-- Forgets the events of a page: what they mean is projected.
DELETE FROM main.event;
