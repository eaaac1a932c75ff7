-- Forgeries of what is read off the events. The chains stay as they are; the row must be named, and the
-- event that wrote it.

-- == projection_differs: a thread has another title
INSERT INTO named SELECT event_id, NULL, 'thread', thread_id FROM thread WHERE thread_id = 'docs';
UPDATE thread SET title = 'About nothing' WHERE thread_id = 'docs';

-- == projection_differs: a thread is put away
INSERT INTO named SELECT event_id, NULL, 'thread', thread_id FROM thread WHERE thread_id = 'docs';
UPDATE thread SET status = 'archived' WHERE thread_id = 'docs';

-- == projection_differs: a fork shares more than it says
INSERT INTO named SELECT event_id, NULL, 'thread', thread_id FROM thread WHERE thread_id = 'fork';
UPDATE thread SET fork_event_seq = fork_event_seq + 1 WHERE thread_id = 'fork';

-- == projection_differs: a fork of another thread
INSERT INTO named SELECT event_id, NULL, 'thread', thread_id FROM thread WHERE thread_id = 'fork';
UPDATE thread SET parent_thread_id = 'tests' WHERE thread_id = 'fork';

-- == projection_differs: a thread less
INSERT INTO named SELECT event_id, NULL, 'thread', thread_id FROM thread WHERE thread_id = 'docs';
DELETE FROM thread WHERE thread_id = 'docs';

-- == projection_differs: a thread more
INSERT INTO named SELECT event_id, NULL, 'thread', 'thread-x' FROM thread WHERE thread_id = 'docs';
INSERT INTO thread SELECT 'thread-x', status, title, metadata, active_turn_id, parent_thread_id,
    fork_event_seq, created_at, updated_at, event_id, event_hash
FROM thread WHERE thread_id = 'docs';

-- == projection_differs: a turn did not fail
INSERT INTO named SELECT event_id, NULL, 'turn', turn_id FROM turn WHERE turn_id = 'docs-3';
UPDATE turn SET status = 'completed', error_code = NULL, error_message = NULL WHERE turn_id = 'docs-3';

-- == projection_differs: another model
INSERT INTO named SELECT event_id, NULL, 'turn', turn_id FROM turn WHERE turn_id = 'docs-3';
UPDATE turn SET model = 'another' WHERE turn_id = 'docs-3';

-- == projection_differs: a turn less
INSERT INTO named SELECT event_id, NULL, 'turn', turn_id FROM turn WHERE turn_id = 'docs-3';
DELETE FROM turn WHERE turn_id = 'docs-3';

-- == projection_differs: a turn more
INSERT INTO named SELECT event_id, NULL, 'turn', 'turn-x' FROM turn WHERE turn_id = 'docs-3';
INSERT INTO turn SELECT 'turn-x', thread_id, status, owner_id, epoch, model, created_at, completed_at,
    error_code, error_message, first_event_seq, revision, event_id, event_hash
FROM turn WHERE turn_id = 'docs-3';

-- == projection_differs: an item says what another event says
INSERT INTO named SELECT event_id, NULL, 'item', item_id FROM item ORDER BY event_id LIMIT 1;
UPDATE item SET event_id = event_id + 1 WHERE item_id = (SELECT key FROM named);
UPDATE named SET event_id = NULL;

-- == projection_differs: an item less
INSERT INTO named SELECT event_id, NULL, 'item', item_id FROM item ORDER BY event_id LIMIT 1;
DELETE FROM item WHERE item_id = (SELECT key FROM named);

-- == projection_differs: an item more
INSERT INTO named SELECT event_id, NULL, 'item', 'item-x' FROM item ORDER BY event_id LIMIT 1;
INSERT INTO item SELECT 'item-x', thread_id, turn_id, kind, status, parent_id, tool_use_id, created_at,
    completed_at, first_event_seq, event_id, event_hash
FROM item ORDER BY event_id LIMIT 1;

-- == projection_differs: a refusal became a consent
INSERT INTO named SELECT event_id, NULL, 'approval', approval_id FROM approval
WHERE turn_id = 'docs-3';
UPDATE approval SET status = 'approved', decision = 'acceptOnce' WHERE turn_id = 'docs-3';

-- == projection_differs: somebody else consented
INSERT INTO named SELECT event_id, NULL, 'approval', approval_id FROM approval
WHERE turn_id = 'docs-1';
UPDATE approval SET via = 'rule' WHERE turn_id = 'docs-1';

-- == projection_differs: a question less
INSERT INTO named SELECT event_id, NULL, 'approval', approval_id FROM approval
WHERE turn_id = 'docs-3';
DELETE FROM approval WHERE turn_id = 'docs-3';

-- == projection_differs: a consent more
INSERT INTO named SELECT event_id, NULL, 'approval', 'approval-x' FROM approval
WHERE turn_id = 'docs-1';
INSERT INTO approval SELECT 'approval-x', thread_id, turn_id, item_id, tool_use_id, 'approved', 'acceptOnce',
    'host', operation_digest, policy_digest, 'nonce-x', expires_at, created_at, created_at,
    requested_event_id, event_id, event_hash
FROM approval WHERE turn_id = 'docs-1';

-- == projection_differs: nobody knows became it did not happen
INSERT INTO named SELECT event_id, NULL, 'effect', effect_id FROM effect WHERE turn_id = 'lost-1';
UPDATE effect SET state = 'did_not_happen' WHERE turn_id = 'lost-1';

-- == projection_differs: something else was changed
INSERT INTO named SELECT event_id, NULL, 'effect', effect_id FROM effect WHERE turn_id = 'docs-2';
UPDATE effect SET target = 'README.md' WHERE turn_id = 'docs-2';

-- == projection_differs: a change less
INSERT INTO named SELECT event_id, NULL, 'effect', effect_id FROM effect WHERE turn_id = 'docs-2';
DELETE FROM effect WHERE turn_id = 'docs-2';

-- == projection_differs: a change more
INSERT INTO named SELECT event_id, NULL, 'effect', 'effect-x' FROM effect WHERE turn_id = 'docs-2';
INSERT INTO effect SELECT 'effect-x', thread_id, turn_id, item_id, tool_use_id, kind, target, state,
    before_digest, after_digest, exit_code, created_at, settled_at, event_id, event_hash
FROM effect WHERE turn_id = 'docs-2';

-- == projection_differs: the evidence of a failure became that of a success
INSERT INTO named SELECT event_id, NULL, 'terminal_evidence', turn_id FROM terminal_evidence
WHERE turn_id = 'docs-3';
UPDATE terminal_evidence SET status = 'succeeded' WHERE turn_id = 'docs-3';

-- == projection_differs: evidence by another event
INSERT INTO named SELECT event_id, NULL, 'terminal_evidence', turn_id FROM terminal_evidence
WHERE turn_id = 'docs-3';
UPDATE terminal_evidence SET event_digest = zeroblob(32) WHERE turn_id = 'docs-3';

-- == projection_differs: fewer tokens
INSERT INTO named SELECT event_id, NULL, 'terminal_evidence', turn_id FROM terminal_evidence
WHERE turn_id = 'docs-1';
UPDATE terminal_evidence SET output_tokens = 0 WHERE turn_id = 'docs-1';

-- == projection_differs: evidence less
INSERT INTO named SELECT event_id, NULL, 'terminal_evidence', turn_id FROM terminal_evidence
WHERE turn_id = 'docs-3';
DELETE FROM terminal_evidence WHERE turn_id = 'docs-3';

-- == projection_differs: evidence of a turn that never was
INSERT INTO named SELECT event_id, NULL, 'terminal_evidence', 'turn-x' FROM terminal_evidence
WHERE turn_id = 'docs-1';
INSERT INTO terminal_evidence SELECT 'turn-x', thread_id, status, event_digest, output_digest,
    first_event_seq, last_event_seq, artifact_ids, workspace_commit, test_receipt_ids, input_tokens,
    output_tokens, event_id, event_hash
FROM terminal_evidence WHERE turn_id = 'docs-1';

-- == projection_differs: a request led to another turn
INSERT INTO named SELECT event_id, NULL, 'idempotency', method || ' ' || key FROM idempotency
WHERE key = 'job-1';
UPDATE idempotency SET turn_id = 'docs-2' WHERE key = 'job-1';

-- == projection_differs: something else was requested
INSERT INTO named SELECT event_id, NULL, 'idempotency', method || ' ' || key FROM idempotency
WHERE key = 'job-1';
UPDATE idempotency SET request_digest = zeroblob(32) WHERE key = 'job-1';

-- == projection_differs: a request less
INSERT INTO named SELECT event_id, NULL, 'idempotency', method || ' ' || key FROM idempotency
WHERE key = 'fork-1';
DELETE FROM idempotency WHERE key = 'fork-1';

-- == projection_differs: a request more
INSERT INTO named SELECT event_id, NULL, 'idempotency', method || ' key-x' FROM idempotency
WHERE key = 'job-1';
INSERT INTO idempotency SELECT method, 'key-x', request_digest, thread_id, turn_id, created_at, event_id, event_hash
FROM idempotency WHERE key = 'job-1';

-- == projection_differs: the evidence of a failure became that of a success, a message being erased
INSERT INTO named SELECT event_id, NULL, 'terminal_evidence', turn_id FROM terminal_evidence
WHERE turn_id = 'docs-3';
UPDATE event SET payload = NULL, salt = NULL
WHERE event_type = 'item.completed' AND turn_id IN ('docs-1', 'docs-3');
UPDATE terminal_evidence SET status = 'succeeded' WHERE turn_id = 'docs-3';

-- == projection_differs: a consent more, its question being erased
INSERT INTO named SELECT event_id, NULL, 'approval', 'approval-x' FROM approval WHERE turn_id = 'docs-1';
INSERT INTO approval SELECT 'approval-x', thread_id, turn_id, item_id, tool_use_id, 'approved', 'acceptOnce',
    'host', operation_digest, policy_digest, 'nonce-x', expires_at, created_at, created_at,
    requested_event_id, event_id, event_hash
FROM approval WHERE turn_id = 'docs-1';
UPDATE event SET payload = NULL, salt = NULL WHERE event_type = 'approval.requested';

-- == projection_differs: a change less, the beginning of its thread being erased
INSERT INTO named SELECT event_id, NULL, 'effect', effect_id FROM effect WHERE turn_id = 'docs-2';
UPDATE event SET payload = NULL, salt = NULL WHERE event_type = 'thread.started';
DELETE FROM effect WHERE turn_id = 'docs-2';

-- What no store would have written, hashed anew with its commits. Nobody noted a head.

-- == projection_differs, commits: a turn ends twice
INSERT INTO named (event_id) SELECT event_id FROM event WHERE turn_id = 'docs-3' ORDER BY event_id DESC LIMIT 1;
UPDATE event SET event_type = 'turn.completed', payload = (SELECT payload FROM event
    WHERE event_type = 'turn.failed')
WHERE event_id = (SELECT event_id - 1 FROM named);

-- == projection_differs, commits: a consent nobody was asked for
INSERT INTO named (event_id) SELECT event_id FROM event
WHERE event_type = 'approval.resolved' AND turn_id = 'docs-1';
UPDATE event SET event_type = 'approval.requested' WHERE event_id = (SELECT event_id FROM named);
