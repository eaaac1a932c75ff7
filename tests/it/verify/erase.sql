-- An erasure: what was said in one turn.
UPDATE event SET payload = NULL, salt = NULL
WHERE turn_id = 'docs-1' AND event_type IN ('item.completed', 'item.delta');
