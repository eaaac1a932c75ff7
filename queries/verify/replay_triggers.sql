-- The triggers that project events, so that they can be told events of a view: those need not be written
-- to a table for that, and not be forgotten again. What they mean stays as it is, but for a key that is
-- claimed again: retention dropped the row of its first claim, so the new claim takes its place. A list
-- of more than two is tested value by value, as it would be made into a table for each event else.
SELECT replace(replace(replace(replace(sql,
    'AFTER INSERT ON event', 'INSTEAD OF INSERT ON event'),
    'INSERT INTO idempotency', 'INSERT OR REPLACE INTO idempotency'),
    'NEW.event_type IN (''turn.completed'', ''turn.failed'', ''turn.interrupted'')',
    '(NEW.event_type = ''turn.completed'' OR NEW.event_type = ''turn.failed''
        OR NEW.event_type = ''turn.interrupted'')'),
    'NEW.event_type IN (''thread.started'', ''thread.forked'', ''thread.archived'', ''turn.started'')',
    '(NEW.event_type = ''thread.started'' OR NEW.event_type = ''thread.forked''
        OR NEW.event_type = ''thread.archived'' OR NEW.event_type = ''turn.started'')') AS sql
FROM main.sqlite_schema
WHERE type = 'trigger' AND tbl_name = 'event' AND sql LIKE '%AFTER INSERT ON event%';
