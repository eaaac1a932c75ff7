-- The event table with its index and checks, without its triggers, in pages of the usual size.
PRAGMA page_size = 4096;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 4000;

CREATE TABLE event (
    event_id        INTEGER PRIMARY KEY CHECK (event_id > 0),
    thread_id       TEXT    NOT NULL CHECK (length(thread_id) BETWEEN 1 AND 160),
    event_seq       INTEGER NOT NULL CHECK (event_seq > 0),
    event_type      TEXT    NOT NULL CHECK (event_type GLOB '[a-z]*.[a-z]*' AND length(event_type) <= 64),
    turn_id         TEXT    CHECK (length(turn_id) BETWEEN 1 AND 160),
    item_id         TEXT    CHECK (length(item_id) BETWEEN 1 AND 160),
    tool_use_id     TEXT    CHECK (length(tool_use_id) BETWEEN 1 AND 160),
    approval_id     TEXT    CHECK (length(approval_id) BETWEEN 1 AND 160),
    trace_id        TEXT    CHECK (length(trace_id) BETWEEN 1 AND 160),
    parent_id       TEXT    CHECK (length(parent_id) BETWEEN 1 AND 160),
    idempotency_key TEXT    CHECK (length(idempotency_key) BETWEEN 1 AND 256),
    at              INTEGER NOT NULL CHECK (at >= 0),
    payload         TEXT    CHECK (json_valid(payload)),
    salt            BLOB    CHECK (length(salt) = 16),
    payload_digest  BLOB    NOT NULL CHECK (length(payload_digest) = 32),
    prev_hash       BLOB    NOT NULL CHECK (length(prev_hash) = 32),
    hash            BLOB    NOT NULL CHECK (length(hash) = 32),
    CHECK ((payload IS NULL) = (salt IS NULL))
) STRICT;

CREATE UNIQUE INDEX event_by_thread ON event (thread_id, event_seq);
