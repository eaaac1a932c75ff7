-- Forgeries by somebody who knows the formulas. What is hashed anew afterwards stands beside what is
-- found: the event, all events, or all events and commits.

-- == commit_changed, event: the user asked for something else
INSERT INTO named (commit_id, event_id)
SELECT commit_id, first_event_id FROM ledger_commit, event
WHERE payload LIKE '%what is here?%' AND event_id BETWEEN first_event_id AND last_event_id
ORDER BY commit_id LIMIT 1;
UPDATE event SET payload = replace(payload, 'what is here?', 'remove everything')
WHERE event_id = (SELECT min(event_id) FROM event WHERE payload LIKE '%what is here?%');

-- == commit_changed, events: the user asked for something else
INSERT INTO named (commit_id, event_id)
SELECT commit_id, first_event_id FROM ledger_commit, event
WHERE payload LIKE '%what is here?%' AND event_id BETWEEN first_event_id AND last_event_id
ORDER BY commit_id LIMIT 1;
UPDATE event SET payload = replace(payload, 'what is here?', 'remove everything')
WHERE event_id = (SELECT min(event_id) FROM event WHERE payload LIKE '%what is here?%');

-- == commit_changed, events: a failure became a success
INSERT INTO named (commit_id)
SELECT commit_id FROM ledger_commit, event
WHERE event_type = 'turn.failed' AND event_id BETWEEN first_event_id AND last_event_id;
UPDATE event SET event_type = 'turn.completed' WHERE event_type = 'turn.failed';

-- == commit_missing, events: a thread that never was
INSERT INTO named (event_id) SELECT max(event_id) + 1 FROM event;
INSERT INTO event SELECT (SELECT event_id FROM named) + event_seq - 1, 'never', event_seq, event_type,
    'never-1', NULL, NULL, NULL, NULL, NULL, NULL, at, payload, salt, payload_digest, prev_hash, hash
FROM event WHERE thread_id = 'tests' AND event_seq <= 2;

-- == commit_missing, events: a thread goes on
INSERT INTO named (event_id) SELECT max(event_id) + 1 FROM event;
INSERT INTO event SELECT (SELECT event_id FROM named), thread_id, event_seq + 1, 'thread.archived', NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, at, '{}', salt, payload_digest, prev_hash, hash
FROM event WHERE thread_id = 'docs' ORDER BY event_seq DESC LIMIT 1;

-- == commit_changed, events: one event less, and those after it move up
INSERT INTO named (commit_id)
SELECT commit_id FROM ledger_commit, event
WHERE event_type = 'turn.failed' AND event_id BETWEEN first_event_id AND last_event_id;
CREATE TEMP TABLE gone AS SELECT event_id, thread_id, event_seq FROM event WHERE event_type = 'turn.failed';
DELETE FROM event WHERE event_id = (SELECT event_id FROM gone);
UPDATE event SET event_seq = event_seq - 1
WHERE thread_id = (SELECT thread_id FROM gone) AND event_seq > (SELECT event_seq FROM gone);
UPDATE event SET event_id = -(event_id - 1) WHERE event_id > (SELECT event_id FROM gone);
UPDATE event SET event_id = -event_id WHERE event_id < 0;

-- == chain_broken, commits: a fork leaves an event that is not in that place
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'thread.forked';
UPDATE event SET payload = replace(payload, '"eventSeq":6', '"eventSeq":5')
WHERE event_type = 'thread.forked';

-- == chain_broken, commits: a fork leaves an event that comes later
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'thread.forked';
UPDATE event SET payload = json_set(payload, '$.source.eventId', (SELECT event_id + 1 FROM named))
WHERE event_type = 'thread.forked';

-- == chain_broken, commits: a thread begins with something before it
INSERT INTO named (event_id) SELECT event_id FROM event WHERE thread_id = 'tests' AND event_seq = 1;
UPDATE event SET prev_hash = hash WHERE event_id = (SELECT event_id FROM named);

-- == event_missing, commits: a thread begins late
INSERT INTO named (event_id) SELECT event_id FROM event WHERE thread_id = 'tests' AND event_seq = 1;
UPDATE event SET event_seq = event_seq + 1000 WHERE thread_id = 'tests';

-- == head_not_found, everything: a failure became a success, with all that was read off it
INSERT INTO named (commit_id) SELECT max(commit_id) FROM ledger_commit;
UPDATE event SET event_type = 'turn.completed', payload = replace(replace(payload, '"failed"', '"succeeded"'),
    '"blocked"', '"succeeded"')
WHERE event_type = 'turn.failed';

-- == head_not_found, everything: a thread is gone, and all numbers after it move up
INSERT INTO named (commit_id) SELECT max(commit_id) FROM ledger_commit;
DELETE FROM ledger_commit WHERE first_event_id IN (SELECT event_id FROM event WHERE thread_id = 'tests');
DELETE FROM event WHERE thread_id = 'tests';
CREATE TEMP TABLE moved AS
SELECT event_id AS old, row_number() OVER (ORDER BY event_id) AS new FROM event;
UPDATE event SET payload = json_set(payload, '$.source.eventId',
    (SELECT new FROM moved WHERE old = payload ->> '$.source.eventId'))
WHERE event_type = 'thread.forked';
UPDATE event SET event_id = -(SELECT new FROM moved WHERE old = event_id);
UPDATE event SET event_id = -event_id;
UPDATE ledger_commit SET first_event_id = (SELECT new FROM moved WHERE old = first_event_id),
    last_event_id = (SELECT new FROM moved WHERE old = last_event_id);
CREATE TEMP TABLE renamed AS
SELECT commit_id AS old, row_number() OVER (ORDER BY commit_id) AS new FROM ledger_commit;
UPDATE ledger_commit SET commit_id = -(SELECT new FROM renamed WHERE old = commit_id);
UPDATE ledger_commit SET commit_id = -commit_id;

-- == chain_broken, commits: a thread begins with something before it, and what it said is erased
INSERT INTO named (event_id) SELECT event_id FROM event WHERE thread_id = 'tests' AND event_seq = 1;
UPDATE event SET prev_hash = hash, payload = NULL, salt = NULL WHERE event_id = (SELECT event_id FROM named);
