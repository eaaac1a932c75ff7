-- Adds one group of events and its commit to the ledger, all or nothing. The projections follow by
-- the trigger `event_is_projected`.
--
-- The last argument of the first INSERT is a JSON array with an array for each event: its members in
-- column order, then position and length of its payload in the first argument. The arguments between
-- hold the salts (16 bytes each), payload digests, previous hashes and hashes (32 bytes each). It is
-- one statement for the whole group because each statement costs a hand-over between threads.
--
-- The group is planned on what this process last knew. Had another process committed since, the
-- event or commit number would be taken: the statement fails and the group is planned again.
SAVEPOINT append_group;

INSERT INTO event (event_id, thread_id, event_seq, event_type, turn_id, item_id, tool_use_id,
    approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest, prev_hash,
    hash)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
    value ->> 7, value ->> 8, value ->> 9, value ->> 10, value ->> 11,
    CAST(substr(?, value ->> 12, value ->> 13) AS TEXT),
    substr(?, key * 16 + 1, 16), substr(?, key * 32 + 1, 32), substr(?, key * 32 + 1, 32),
    substr(?, key * 32 + 1, 32)
FROM jsonb_each(?);

INSERT INTO ledger_commit (commit_id, at, first_event_id, last_event_id, root, prev_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?);

RELEASE append_group;
