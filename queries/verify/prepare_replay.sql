-- Makes the empty copy ready to be told the events: in place of the ledger there is a view, whose
-- trigger is made next.
--
-- What a CHECK refuses was refused when the event was committed; testing it again would take a quarter
-- of the time.
PRAGMA ignore_check_constraints = ON;
DROP TABLE main.event;
CREATE VIEW main.event AS SELECT NULL AS event_id, NULL AS thread_id, NULL AS event_seq, NULL AS event_type,
    NULL AS turn_id, NULL AS item_id, NULL AS tool_use_id, NULL AS approval_id, NULL AS trace_id,
    NULL AS parent_id, NULL AS idempotency_key, NULL AS at, NULL AS payload, NULL AS salt,
    NULL AS payload_digest, NULL AS prev_hash, NULL AS hash;

CREATE TABLE main.erased (event_type TEXT NOT NULL, thread_id TEXT NOT NULL, turn_id TEXT, item_id TEXT,
    approval_id TEXT, idempotency_key TEXT) STRICT;
