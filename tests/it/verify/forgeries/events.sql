-- Forgeries of single events. Each begins with what is found, and the forger notes the event that must
-- be named.

-- == payload_changed: the user asked for something else
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE payload LIKE '%what is here?%';
UPDATE event SET payload = replace(payload, 'what is here?', 'remove everything')
WHERE event_id = (SELECT event_id FROM named);

-- == payload_changed: the same number of bytes
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE payload LIKE '%what is here?%';
UPDATE event SET payload = replace(payload, 'what is here?', 'who lives here')
WHERE event_id = (SELECT event_id FROM named);

-- == payload_changed: a refusal became a consent
INSERT INTO named (event_id)
SELECT event_id FROM event WHERE event_type = 'approval.resolved' AND turn_id = 'docs-3';
UPDATE event SET payload = replace(payload, '"approved":false', '"approved":true')
WHERE event_id = (SELECT event_id FROM named);

-- == payload_changed: white space that no JSON parser sees
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET payload = payload || ' ' WHERE event_id = (SELECT event_id FROM named);

-- == payload_changed: another salt
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET salt = zeroblob(16) WHERE event_id = (SELECT event_id FROM named);

-- == payload_changed: half an erasure, the salt is gone
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET salt = NULL WHERE event_id = (SELECT event_id FROM named);

-- == payload_changed: half an erasure, the payload is gone
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET payload = NULL WHERE event_id = (SELECT event_id FROM named);

-- == payload_changed: a fork was made elsewhere
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'thread.forked';
UPDATE event SET payload = replace(payload, '"eventSeq":6', '"eventSeq":5')
WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: the payload of another event, its salt and digest with it
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET (payload, salt, payload_digest) = (SELECT payload, salt, payload_digest FROM event
    WHERE event_type = 'turn.completed' ORDER BY event_id LIMIT 1)
WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: an hour earlier
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET at = at - 3600000 WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: a failure became a success
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET event_type = 'turn.completed' WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: another turn
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'effect.settled';
UPDATE event SET turn_id = 'docs-2' WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: another item
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'effect.settled';
UPDATE event SET item_id = (SELECT max(item_id) FROM event) || 'x'
WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: another tool call
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'effect.settled';
UPDATE event SET tool_use_id = 'another' WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: the consent to another question
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'approval.resolved';
UPDATE event SET approval_id = (SELECT approval_id FROM event WHERE event_type = 'approval.resolved'
    ORDER BY event_id DESC LIMIT 1)
WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: a reference that was not there
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'turn.started';
UPDATE event SET trace_id = 'a-trace' WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: a parent that was not there
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'turn.started';
UPDATE event SET parent_id = 'a-parent' WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: a member is said to be what stands for none
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'turn.started';
UPDATE event SET trace_id = '-' WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: two members for one, by a line break
INSERT INTO named (event_id) SELECT min(event_id) FROM event WHERE event_type = 'turn.started';
UPDATE event SET turn_id = turn_id || char(10) || '-', trace_id = NULL
WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: another idempotency key
INSERT INTO named (event_id) SELECT event_id FROM event WHERE idempotency_key = 'job-1';
UPDATE event SET idempotency_key = 'job-2' WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: no idempotency key
INSERT INTO named (event_id) SELECT event_id FROM event WHERE idempotency_key = 'job-1';
UPDATE event SET idempotency_key = NULL WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: it happened in another thread
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET thread_id = 'open', event_seq = 99 WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: the digest of its payload
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET payload_digest = zeroblob(32) WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: the link to the one before
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET prev_hash = zeroblob(32) WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: its hash
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET hash = zeroblob(32) WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: a hash of another length
INSERT INTO named (event_id) SELECT event_id FROM event WHERE event_type = 'turn.failed';
UPDATE event SET hash = zeroblob(31) WHERE event_id = (SELECT event_id FROM named);

-- == event_changed: two events of a thread change places
INSERT INTO named (event_id) SELECT event_id FROM event WHERE thread_id = 'docs' AND event_seq = 4;
UPDATE event SET event_seq = -event_seq WHERE thread_id = 'docs' AND event_seq IN (4, 5);
UPDATE event SET event_seq = 9 + event_seq WHERE thread_id = 'docs' AND event_seq < 0;

-- == event_changed: an event is written twice
INSERT INTO named (event_id) SELECT max(event_id) + 1 FROM event;
INSERT INTO event SELECT (SELECT event_id FROM named), thread_id, event_seq + 1, event_type, turn_id, item_id,
    tool_use_id, approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest,
    prev_hash, hash
FROM event WHERE event_id = (SELECT event_id - 1 FROM named);
