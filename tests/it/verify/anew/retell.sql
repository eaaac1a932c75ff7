-- The forger has the store's own trigger read everything off the forged events.
DELETE FROM thread;
DELETE FROM turn;
DELETE FROM item;
DELETE FROM approval;
DELETE FROM effect;
DELETE FROM terminal_evidence;
DELETE FROM idempotency;
CREATE TEMP TABLE told AS SELECT * FROM event;
DELETE FROM event;
{event_is_projected};
INSERT INTO event SELECT * FROM told ORDER BY event_id;
DROP TRIGGER event_is_projected;
