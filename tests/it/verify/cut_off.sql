-- The last thread never was: its events, its commits and what was read off them are gone.
DELETE FROM ledger_commit WHERE first_event_id >= (SELECT min(event_id) FROM event WHERE thread_id = '{thread}');
DELETE FROM event WHERE thread_id = '{thread}';
DELETE FROM thread WHERE thread_id = '{thread}';
DELETE FROM turn WHERE thread_id = '{thread}';
DELETE FROM item WHERE thread_id = '{thread}';
DELETE FROM terminal_evidence WHERE thread_id = '{thread}';
