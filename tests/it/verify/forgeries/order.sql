-- Forgeries of what there is and in which order: events and commits that go, come and change places.

-- == event_missing: the first event
INSERT INTO named (event_id) VALUES (1);
DELETE FROM event WHERE event_id = 1;

-- == event_missing: one in the middle
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
DELETE FROM event WHERE event_id = (SELECT event_id FROM named);

-- == event_missing: some in the middle
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE turn_id = 'docs-2';
DELETE FROM event WHERE turn_id = 'docs-2';

-- == commit_missing: the last of a thread, its commit with it
INSERT INTO named (event_id) SELECT max(event_id) FROM event WHERE thread_id = 'docs';
DELETE FROM ledger_commit WHERE last_event_id = (SELECT event_id FROM named);
DELETE FROM event WHERE event_id = (SELECT event_id FROM named);

-- == event_missing: a whole thread
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE thread_id = 'tests';
DELETE FROM event WHERE thread_id = 'tests';

-- == commit_missing: a whole thread, all that was read off it and its commits
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE thread_id = 'tests';
DELETE FROM ledger_commit WHERE first_event_id IN (SELECT event_id FROM event WHERE thread_id = 'tests');
DELETE FROM event WHERE thread_id = 'tests';
DELETE FROM thread WHERE thread_id = 'tests';
DELETE FROM turn WHERE thread_id = 'tests';
DELETE FROM item WHERE thread_id = 'tests';
DELETE FROM effect WHERE thread_id = 'tests';
DELETE FROM terminal_evidence WHERE thread_id = 'tests';
DELETE FROM idempotency WHERE thread_id = 'tests';

-- == event_missing: the last events, but not their commit
INSERT INTO named (event_id, commit_id)
SELECT first_event_id, commit_id FROM ledger_commit ORDER BY commit_id DESC LIMIT 1;
DELETE FROM event WHERE event_id >= (SELECT event_id FROM named);

-- == event_missing: a place is left free
INSERT INTO named (event_id) SELECT max(event_id) FROM event;
UPDATE event SET event_id = event_id + 1 WHERE event_id = (SELECT event_id FROM named);

-- == event_missing: everything
INSERT INTO named (event_id, commit_id) VALUES (1, 1);
DELETE FROM event;

-- == commit_changed: two events of a thread in the other order
INSERT INTO named (event_id, commit_id)
SELECT first_event_id, commit_id FROM ledger_commit WHERE last_event_id = 4;
INSERT INTO named (event_id) VALUES (4);
UPDATE event SET event_id = 9 - event_id - 100 WHERE event_id IN (4, 5);
UPDATE event SET event_id = event_id + 100 WHERE event_id < 0;

-- == commit_changed: two threads began the other way round
INSERT INTO named (event_id, commit_id) VALUES (1, 1);
UPDATE event SET event_id = -1 WHERE event_id = 1;
UPDATE event SET event_id = 1 WHERE thread_id = 'tests' AND event_seq = 1;
UPDATE event SET event_id = (SELECT max(first_event_id) FROM ledger_commit
    WHERE first_event_id NOT IN (SELECT event_id FROM event)) WHERE event_id = -1;

-- == chain_broken: an event before the first
INSERT INTO named (event_id) VALUES (0);
INSERT INTO event SELECT 0, thread_id, event_seq + 1, event_type, turn_id, item_id, tool_use_id,
    approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest, hash, hash
FROM event ORDER BY event_id DESC LIMIT 1;

-- == chain_broken: an event at the smallest number there is
INSERT INTO named (event_id) VALUES (-9223372036854775808);
INSERT INTO event SELECT -9223372036854775808, thread_id, event_seq + 1, event_type, turn_id, item_id,
    tool_use_id, approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest,
    hash, hash
FROM event ORDER BY event_id DESC LIMIT 1;

-- == event_missing: an event at the largest number there is
INSERT INTO named (event_id) SELECT max(event_id) + 1 FROM event;
INSERT INTO event SELECT 9223372036854775807, thread_id, event_seq + 1, event_type, turn_id, item_id,
    tool_use_id, approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest,
    hash, hash
FROM event ORDER BY event_id DESC LIMIT 1;

-- == commit_changed: another time of a commit
INSERT INTO named (commit_id) VALUES (5);
UPDATE ledger_commit SET at = at + 1 WHERE commit_id = 5;

-- == commit_changed: another root
INSERT INTO named (commit_id) VALUES (5);
UPDATE ledger_commit SET root = zeroblob(32) WHERE commit_id = 5;

-- == commit_changed: the root of another commit
INSERT INTO named (commit_id) VALUES (5);
UPDATE ledger_commit SET root = (SELECT root FROM ledger_commit WHERE commit_id = 4) WHERE commit_id = 5;

-- == commit_changed: the link to the commit before
INSERT INTO named (commit_id) VALUES (5);
UPDATE ledger_commit SET prev_hash = zeroblob(32) WHERE commit_id = 5;

-- == commit_changed: the hash of a commit
INSERT INTO named (commit_id) VALUES (5);
UPDATE ledger_commit SET hash = zeroblob(32) WHERE commit_id = 5;

-- == commit_changed: a hash of another length
INSERT INTO named (commit_id) VALUES (5);
UPDATE ledger_commit SET root = zeroblob(31) WHERE commit_id = 5;

-- == commit_changed: a transaction is cut in two places
INSERT INTO named (commit_id) VALUES (5);
UPDATE ledger_commit SET last_event_id = last_event_id + 1 WHERE commit_id = 5;
UPDATE ledger_commit SET first_event_id = first_event_id + 1 WHERE commit_id = 6;

-- == commit_changed: a transaction begins elsewhere
INSERT INTO named (commit_id) VALUES (5);
INSERT INTO named (event_id) SELECT first_event_id FROM ledger_commit WHERE commit_id = 5;
UPDATE ledger_commit SET first_event_id = first_event_id - 1 WHERE commit_id = 5;

-- == commit_changed: two commits change places
INSERT INTO named (event_id, commit_id) SELECT first_event_id, 6 FROM ledger_commit WHERE commit_id = 5;
UPDATE ledger_commit SET commit_id = -commit_id WHERE commit_id IN (5, 6);
UPDATE ledger_commit SET commit_id = 11 + commit_id WHERE commit_id < 0;

-- == commit_missing: the first commit
INSERT INTO named (event_id, commit_id) VALUES (1, 1);
DELETE FROM ledger_commit WHERE commit_id = 1;

-- == commit_missing: a commit in the middle
INSERT INTO named (event_id, commit_id) SELECT first_event_id, 5 FROM ledger_commit WHERE commit_id = 5;
DELETE FROM ledger_commit WHERE commit_id = 5;

-- == commit_missing: the last commit
INSERT INTO named (event_id) SELECT first_event_id FROM ledger_commit ORDER BY commit_id DESC LIMIT 1;
DELETE FROM ledger_commit WHERE first_event_id = (SELECT event_id FROM named);

-- == commit_missing: two commits are said to be one
INSERT INTO named (commit_id) VALUES (5), (6);
UPDATE ledger_commit SET first_event_id = (SELECT first_event_id FROM ledger_commit WHERE commit_id = 5)
WHERE commit_id = 6;
DELETE FROM ledger_commit WHERE commit_id = 5;

-- == commit_changed: a commit before the first
INSERT INTO named (commit_id) VALUES (0);
INSERT INTO named (event_id) VALUES (1);
INSERT INTO ledger_commit SELECT 0, at, 0, 0, root, prev_hash, hash FROM ledger_commit WHERE commit_id = 1;

-- == commit_changed: a commit of nothing at the end
INSERT INTO named (commit_id) SELECT max(commit_id) + 1 FROM ledger_commit;
INSERT INTO ledger_commit SELECT commit_id + 1, at, last_event_id + 1, last_event_id + 1, root, prev_hash, hash
FROM ledger_commit ORDER BY commit_id DESC LIMIT 1;

-- == head_not_found: the last transaction, commit and all
INSERT INTO named (commit_id) SELECT max(commit_id) FROM ledger_commit;
DELETE FROM event WHERE event_id >= (SELECT first_event_id FROM ledger_commit
    WHERE commit_id = (SELECT commit_id FROM named));
DELETE FROM ledger_commit WHERE commit_id = (SELECT commit_id FROM named);

-- == head_not_found: everything, commits and all
INSERT INTO named (commit_id) SELECT max(commit_id) FROM ledger_commit;
DELETE FROM event;
DELETE FROM ledger_commit;
