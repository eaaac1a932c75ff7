-- Forgeries of the schema, and of what is kept outside the ledger.

-- == schema_differs: a guard less
INSERT INTO named VALUES (NULL, NULL, 'trigger', 'event_is_never_deleted');
DROP TRIGGER event_is_never_deleted;

-- == schema_differs: a guard that lets everything pass
INSERT INTO named VALUES (NULL, NULL, 'trigger', 'event_is_never_changed');
DROP TRIGGER event_is_never_changed;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event WHEN 0 BEGIN SELECT 1; END;

-- == schema_differs: a guard of another table
INSERT INTO named VALUES (NULL, NULL, 'trigger', 'ledger_commit_is_never_deleted');
DROP TRIGGER ledger_commit_is_never_deleted;
CREATE TRIGGER ledger_commit_is_never_deleted BEFORE DELETE ON content BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: a commit cannot be deleted');
END;

-- == schema_differs: what comes is washed white
INSERT INTO named VALUES (NULL, NULL, 'trigger', 'whitewash');
CREATE TRIGGER whitewash AFTER INSERT ON effect BEGIN DELETE FROM effect WHERE target = 'rm'; END;

-- == schema_differs: a view hides the turns that failed
INSERT INTO named VALUES (NULL, NULL, 'view', 'audit_turns');
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = sql || ' WHERE turn.status <> ''failed''' WHERE name = 'audit_turns';
PRAGMA writable_schema = RESET;

-- == schema_differs: a view less
INSERT INTO named VALUES (NULL, NULL, 'view', 'audit_commits');
DROP VIEW audit_commits;

-- == schema_differs: a view more
INSERT INTO named VALUES (NULL, NULL, 'view', 'audit_all');
CREATE VIEW audit_all AS SELECT * FROM event WHERE event_type <> 'turn.failed';

-- == schema_differs: an index less
INSERT INTO named VALUES (NULL, NULL, 'index', 'turn_unfinished');
DROP INDEX turn_unfinished;

-- == schema_differs: a column more
INSERT INTO named VALUES (NULL, NULL, 'table', 'event');
ALTER TABLE event ADD COLUMN note TEXT;

-- == schema_differs: a table more
INSERT INTO named VALUES (NULL, NULL, 'table', 'true_events');
CREATE TABLE true_events (event_id INTEGER);

-- == schema_differs: a check less
INSERT INTO named VALUES (NULL, NULL, 'table', 'event');
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (json_valid(payload))', '') WHERE name = 'event';
PRAGMA writable_schema = RESET;

-- == content_differs: other bytes
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(digest)) FROM content;
UPDATE content_chunk SET bytes = CAST('forged' AS BLOB) WHERE position = 1;

-- == content_differs: as many other bytes
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(digest)) FROM content;
UPDATE content_chunk SET bytes = zeroblob(length(bytes)) WHERE position = 1;

-- == content_differs: a piece less
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(digest)) FROM content;
DELETE FROM content_chunk WHERE position = 1;

-- == content_differs: a piece more
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(digest)) FROM content;
INSERT INTO content_chunk SELECT digest, position + 1, bytes FROM content_chunk ORDER BY position DESC LIMIT 1;

-- == content_differs: a piece before the first
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(digest)) FROM content;
INSERT INTO content_chunk SELECT digest, -1, bytes FROM content_chunk WHERE position = 0;

-- == content_differs: the pieces in another order
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(digest)) FROM content;
UPDATE content_chunk SET position = 10 - position;

-- == content_differs: another length
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(digest)) FROM content;
UPDATE content SET bytes = bytes + 1;

-- == content_differs: a name that is none
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(zeroblob(31)));
UPDATE content SET digest = zeroblob(31);

-- == content_differs: another name
INSERT INTO named SELECT NULL, NULL, 'content', lower(hex(zeroblob(32)));
UPDATE content SET digest = zeroblob(32);
UPDATE content_chunk SET digest = zeroblob(32);
