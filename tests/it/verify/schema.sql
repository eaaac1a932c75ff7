-- Each of these is a change of the schema.
DROP TRIGGER event_is_never_deleted;
DROP VIEW audit_turns;
DROP INDEX turn_unfinished;
CREATE TRIGGER whitewash AFTER INSERT ON effect BEGIN DELETE FROM effect WHERE target = 'rm'; END;
DROP VIEW audit_commits;
CREATE VIEW audit_commits AS SELECT * FROM ledger_commit WHERE 0;
