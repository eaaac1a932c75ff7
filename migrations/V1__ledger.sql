-- The ledger and its projections.
--
-- `event` and `ledger_commit` are the record: rows are added, never changed (an erasure may empty
-- payload and salt, nothing else). Every other table is a projection: the trigger at the end of
-- this file writes it from the events, in the transaction that adds them, and each row names the
-- event that last wrote it. Replaying the events into an empty copy of this schema must give the
-- same rows; `threadkeep verify` does just that.
--
-- Times are whole milliseconds since 1970-01-01 UTC. Digests are 32 raw bytes of SHA-256. The
-- hash formulas are in docs/LEDGER.md; queries/audit/verify.py checks them with Python alone.

CREATE TABLE event (
    -- Commit order over the whole store.
    event_id        INTEGER PRIMARY KEY CHECK (event_id > 0),
    thread_id       TEXT    NOT NULL CHECK (length(thread_id) BETWEEN 1 AND 160),
    -- 1, 2, 3 … along the thread; a fork goes on counting from the event it forks at.
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
    -- The exact bytes that were hashed; JSON. NULL once erased.
    payload         TEXT    CHECK (json_valid(payload)),
    -- Random bytes hashed before the payload, so that a digest cannot be guessed from a short
    -- payload. NULL once erased.
    salt            BLOB    CHECK (length(salt) = 16),
    payload_digest  BLOB    NOT NULL CHECK (length(payload_digest) = 32),
    prev_hash       BLOB    NOT NULL CHECK (length(prev_hash) = 32),
    hash            BLOB    NOT NULL CHECK (length(hash) = 32),
    CHECK ((payload IS NULL) = (salt IS NULL))
) STRICT;

CREATE UNIQUE INDEX event_by_thread ON event (thread_id, event_seq);
CREATE INDEX event_of_usage ON event (event_id) WHERE event_type = 'usage.recorded';

-- One row a transaction, chained: the removal of a whole thread shows here.
CREATE TABLE ledger_commit (
    commit_id      INTEGER PRIMARY KEY CHECK (commit_id > 0),
    at             INTEGER NOT NULL CHECK (at >= 0),
    first_event_id INTEGER NOT NULL,
    last_event_id  INTEGER NOT NULL CHECK (last_event_id >= first_event_id),
    -- RFC 6962 §2.1 Merkle tree hash over the event hashes of the transaction.
    root           BLOB    NOT NULL CHECK (length(root) = 32),
    prev_hash      BLOB    NOT NULL CHECK (length(prev_hash) = 32),
    hash           BLOB    NOT NULL CHECK (length(hash) = 32)
) STRICT;

CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: an event cannot be deleted');
END;

CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
WHEN NEW.payload IS NOT NULL OR NEW.salt IS NOT NULL
    OR (NEW.event_id, NEW.thread_id, NEW.event_seq, NEW.event_type, NEW.turn_id, NEW.item_id,
        NEW.tool_use_id, NEW.approval_id, NEW.trace_id, NEW.parent_id, NEW.idempotency_key, NEW.at,
        NEW.payload_digest, NEW.prev_hash, NEW.hash)
    IS NOT
       (OLD.event_id, OLD.thread_id, OLD.event_seq, OLD.event_type, OLD.turn_id, OLD.item_id,
        OLD.tool_use_id, OLD.approval_id, OLD.trace_id, OLD.parent_id, OLD.idempotency_key, OLD.at,
        OLD.payload_digest, OLD.prev_hash, OLD.hash)
BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: only the payload and salt of an event can be erased');
END;

CREATE TRIGGER ledger_commit_is_never_deleted BEFORE DELETE ON ledger_commit BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: a commit cannot be deleted');
END;

CREATE TRIGGER ledger_commit_is_never_changed BEFORE UPDATE ON ledger_commit BEGIN
    SELECT raise(ABORT, 'the ledger is append-only: a commit cannot be changed');
END;

-- Projections ---------------------------------------------------------------------------------

CREATE TABLE thread (
    thread_id        TEXT    PRIMARY KEY NOT NULL,
    -- active while a turn runs, idle, archived
    status           TEXT    NOT NULL CHECK (status IN ('active', 'idle', 'archived')),
    title            TEXT    CHECK (length(title) <= 512),
    metadata         TEXT    NOT NULL CHECK (json_type(metadata) = 'object'),
    -- The turn that runs now.
    active_turn_id   TEXT,
    -- For a fork: the thread it continues and the last event they share.
    parent_thread_id TEXT,
    fork_event_seq   INTEGER,
    created_at       INTEGER NOT NULL,
    -- The last change of status; deltas do not move it.
    updated_at       INTEGER NOT NULL,
    event_id         INTEGER NOT NULL,
    event_hash       BLOB    NOT NULL,
    CHECK ((status = 'active') = (active_turn_id IS NOT NULL)),
    CHECK ((parent_thread_id IS NULL) = (fork_event_seq IS NULL))
) STRICT;

CREATE INDEX thread_by_update ON thread (updated_at);
CREATE INDEX thread_of_parent ON thread (parent_thread_id) WHERE parent_thread_id IS NOT NULL;

CREATE TABLE turn (
    turn_id         TEXT    PRIMARY KEY NOT NULL,
    thread_id       TEXT    NOT NULL,
    status          TEXT    NOT NULL CHECK (status IN ('queued', 'running', 'waiting_approval',
                        'waiting_input', 'completed', 'failed', 'interrupted')),
    -- The process that runs it, and which of its runs this is: a write under another owner or
    -- epoch is refused.
    owner_id        TEXT    NOT NULL,
    epoch           INTEGER NOT NULL CHECK (epoch > 0),
    model           TEXT    NOT NULL,
    created_at      INTEGER NOT NULL,
    completed_at    INTEGER,
    -- NULL when it ended without an error, or has not ended.
    error_code      TEXT,
    error_message   TEXT    CHECK (length(error_message) <= 4096),
    -- event_seq of its first event, and of the event that last wrote this row.
    first_event_seq INTEGER NOT NULL,
    revision        INTEGER NOT NULL,
    event_id        INTEGER NOT NULL,
    event_hash      BLOB    NOT NULL,
    CHECK ((status IN ('completed', 'failed', 'interrupted')) = (completed_at IS NOT NULL))
) STRICT;

CREATE INDEX turn_by_thread ON turn (thread_id, first_event_seq);
CREATE INDEX turn_unfinished ON turn (event_id) WHERE completed_at IS NULL;

-- What an item says is the payload of the event that last wrote it; it is not kept twice.
CREATE TABLE item (
    item_id         TEXT    PRIMARY KEY NOT NULL,
    thread_id       TEXT    NOT NULL,
    turn_id         TEXT    NOT NULL,
    kind            TEXT    NOT NULL CHECK (kind IN ('user_message', 'assistant_message', 'reasoning',
                        'tool', 'approval', 'plan', 'subagent', 'artifact', 'error')),
    status          TEXT    NOT NULL CHECK (status IN ('started', 'streaming', 'completed', 'failed',
                        'cancelled')),
    parent_id       TEXT,
    tool_use_id     TEXT,
    created_at      INTEGER NOT NULL,
    completed_at    INTEGER,
    first_event_seq INTEGER NOT NULL,
    event_id        INTEGER NOT NULL,
    event_hash      BLOB    NOT NULL,
    CHECK ((status IN ('completed', 'failed', 'cancelled')) = (completed_at IS NOT NULL))
) STRICT;

CREATE INDEX item_by_turn ON item (turn_id, first_event_seq);

CREATE TABLE approval (
    approval_id        TEXT    PRIMARY KEY NOT NULL,
    thread_id          TEXT    NOT NULL,
    turn_id            TEXT    NOT NULL,
    item_id            TEXT    NOT NULL,
    tool_use_id        TEXT,
    status             TEXT    NOT NULL CHECK (status IN ('pending', 'approved', 'refused')),
    -- NULL when nobody decided.
    decision           TEXT    CHECK (decision IN ('acceptOnce', 'acceptForTurn', 'acceptForSession',
                           'decline', 'cancel')),
    -- Who or what settled it: host, rule, expiry, recovery …
    via                TEXT,
    operation_digest   BLOB    NOT NULL CHECK (length(operation_digest) = 32),
    policy_digest      BLOB    NOT NULL CHECK (length(policy_digest) = 32),
    nonce              TEXT    NOT NULL UNIQUE,
    expires_at         INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    resolved_at        INTEGER,
    requested_event_id INTEGER NOT NULL,
    event_id           INTEGER NOT NULL,
    event_hash         BLOB    NOT NULL,
    CHECK ((status = 'pending') = (resolved_at IS NULL))
) STRICT;

CREATE INDEX approval_by_turn ON approval (turn_id);

CREATE TABLE effect (
    effect_id     TEXT    PRIMARY KEY NOT NULL,
    thread_id     TEXT    NOT NULL,
    turn_id       TEXT    NOT NULL,
    item_id       TEXT    NOT NULL,
    tool_use_id   TEXT    NOT NULL,
    -- file.write, process.exec …
    kind          TEXT    NOT NULL,
    target        TEXT    NOT NULL,
    -- intended: about to act, no receipt yet. unknown: some of it may have happened.
    state         TEXT    NOT NULL CHECK (state IN ('intended', 'happened', 'did_not_happen', 'unknown')),
    -- Content before and after, for files.
    before_digest BLOB    CHECK (length(before_digest) = 32),
    after_digest  BLOB    CHECK (length(after_digest) = 32),
    exit_code     INTEGER,
    created_at    INTEGER NOT NULL,
    settled_at    INTEGER,
    event_id      INTEGER NOT NULL,
    event_hash    BLOB    NOT NULL,
    CHECK ((state = 'intended') = (settled_at IS NULL))
) STRICT;

CREATE INDEX effect_by_turn ON effect (turn_id);
CREATE INDEX effect_unsettled ON effect (state) WHERE state IN ('intended', 'unknown');

CREATE TABLE terminal_evidence (
    turn_id          TEXT    PRIMARY KEY NOT NULL,
    thread_id        TEXT    NOT NULL,
    status           TEXT    NOT NULL CHECK (status IN ('succeeded', 'failed', 'partial', 'cancelled',
                         'blocked', 'budget_exhausted')),
    -- Hash of the terminal event: through the chain it covers every event before it.
    event_digest     BLOB    NOT NULL CHECK (length(event_digest) = 32),
    -- SHA-256 of the text of the turn's last assistant message; NULL when it has none.
    output_digest    BLOB    CHECK (length(output_digest) = 32),
    first_event_seq  INTEGER NOT NULL,
    last_event_seq   INTEGER NOT NULL,
    artifact_ids     TEXT    NOT NULL CHECK (json_type(artifact_ids) = 'array'),
    workspace_commit TEXT,
    test_receipt_ids TEXT    NOT NULL CHECK (json_type(test_receipt_ids) = 'array'),
    -- Tokens over the turn; NULL when any answer's count is unknown.
    input_tokens     INTEGER,
    output_tokens    INTEGER,
    event_id         INTEGER NOT NULL,
    event_hash       BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER terminal_evidence_is_never_changed BEFORE UPDATE ON terminal_evidence BEGIN
    SELECT raise(ABORT, 'terminal evidence is written once');
END;

CREATE TRIGGER terminal_evidence_is_never_deleted BEFORE DELETE ON terminal_evidence BEGIN
    SELECT raise(ABORT, 'terminal evidence is written once');
END;

-- What a request with an idempotency key led to. Rows are dropped after the retention time.
CREATE TABLE idempotency (
    method         TEXT    NOT NULL,
    key            TEXT    NOT NULL CHECK (length(key) BETWEEN 1 AND 256),
    request_digest BLOB    NOT NULL CHECK (length(request_digest) = 32),
    thread_id      TEXT    NOT NULL,
    turn_id        TEXT,
    created_at     INTEGER NOT NULL,
    event_id       INTEGER NOT NULL,
    event_hash     BLOB    NOT NULL,
    PRIMARY KEY (method, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TRIGGER turn_ends_once BEFORE UPDATE ON turn WHEN OLD.completed_at IS NOT NULL BEGIN
    SELECT raise(ABORT, 'a turn ends once');
END;

CREATE TRIGGER item_ends_once BEFORE UPDATE ON item WHEN OLD.completed_at IS NOT NULL BEGIN
    SELECT raise(ABORT, 'an item ends once');
END;

CREATE TRIGGER approval_is_settled_once BEFORE UPDATE ON approval WHEN OLD.resolved_at IS NOT NULL BEGIN
    SELECT raise(ABORT, 'an approval is settled once');
END;

-- Writes what an event means. A delta means nothing beyond itself, so it costs one comparison.
CREATE TRIGGER event_is_projected AFTER INSERT ON event WHEN NEW.event_type <> 'item.delta' BEGIN
    INSERT INTO thread (thread_id, status, title, metadata, parent_thread_id, fork_event_seq,
        created_at, updated_at, event_id, event_hash)
    SELECT NEW.thread_id, 'idle', NEW.payload ->> '$.title', coalesce(NEW.payload -> '$.metadata', '{}'),
        NEW.payload ->> '$.source.threadId', NEW.payload ->> '$.source.eventSeq',
        NEW.at, NEW.at, NEW.event_id, NEW.hash
    WHERE NEW.event_type IN ('thread.started', 'thread.forked');

    UPDATE thread
    SET status = 'archived', updated_at = NEW.at, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'thread.archived' AND thread_id = NEW.thread_id;

    INSERT INTO turn (turn_id, thread_id, status, owner_id, epoch, model, created_at,
        first_event_seq, revision, event_id, event_hash)
    SELECT NEW.turn_id, NEW.thread_id, 'running', NEW.payload ->> '$.ownerId', NEW.payload ->> '$.epoch',
        NEW.payload ->> '$.model', NEW.at, NEW.event_seq, NEW.event_seq, NEW.event_id, NEW.hash
    WHERE NEW.event_type = 'turn.started';

    UPDATE thread
    SET status = 'active', active_turn_id = NEW.turn_id, updated_at = NEW.at,
        event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'turn.started' AND thread_id = NEW.thread_id;

    INSERT INTO item (item_id, thread_id, turn_id, kind, status, parent_id, tool_use_id, created_at,
        completed_at, first_event_seq, event_id, event_hash)
    SELECT NEW.item_id, NEW.thread_id, NEW.turn_id, NEW.payload ->> '$.kind', NEW.payload ->> '$.status',
        NEW.parent_id, NEW.tool_use_id, NEW.at, iif(NEW.event_type = 'item.completed', NEW.at, NULL),
        NEW.event_seq, NEW.event_id, NEW.hash
    WHERE NEW.event_type IN ('item.started', 'item.completed')
    ON CONFLICT (item_id) DO UPDATE
    SET status = excluded.status, completed_at = excluded.completed_at,
        event_id = excluded.event_id, event_hash = excluded.event_hash;

    INSERT INTO approval (approval_id, thread_id, turn_id, item_id, tool_use_id, status,
        operation_digest, policy_digest, nonce, expires_at, created_at, requested_event_id, event_id,
        event_hash)
    SELECT NEW.approval_id, NEW.thread_id, NEW.turn_id, NEW.item_id, NEW.tool_use_id, 'pending',
        unhex(substr(NEW.payload ->> '$.request.binding.operationDigest', 8)),
        unhex(substr(NEW.payload ->> '$.request.binding.policyDigest', 8)),
        NEW.payload ->> '$.request.binding.nonce',
        CAST(round(unixepoch(NEW.payload ->> '$.request.binding.expiresAt', 'subsec') * 1000) AS INTEGER),
        NEW.at, NEW.event_id, NEW.event_id, NEW.hash
    WHERE NEW.event_type = 'approval.requested';

    UPDATE approval
    SET status = iif(NEW.payload ->> '$.approved', 'approved', 'refused'),
        decision = NEW.payload ->> '$.decision.kind', via = NEW.payload ->> '$.via',
        resolved_at = NEW.at, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'approval.resolved' AND approval_id = NEW.approval_id;

    UPDATE turn
    SET status = iif(EXISTS (SELECT 1 FROM approval WHERE turn_id = NEW.turn_id AND status = 'pending'),
            'waiting_approval', 'running'),
        revision = NEW.event_seq, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type IN ('approval.requested', 'approval.resolved') AND turn_id = NEW.turn_id;

    INSERT INTO effect (effect_id, thread_id, turn_id, item_id, tool_use_id, kind, target, state,
        before_digest, after_digest, created_at, event_id, event_hash)
    SELECT NEW.payload ->> '$.effectId', NEW.thread_id, NEW.turn_id, NEW.item_id, NEW.tool_use_id,
        NEW.payload ->> '$.kind', NEW.payload ->> '$.target', 'intended',
        unhex(substr(NEW.payload ->> '$.before', 8)), unhex(substr(NEW.payload ->> '$.after', 8)),
        NEW.at, NEW.event_id, NEW.hash
    WHERE NEW.event_type = 'effect.intended';

    UPDATE effect
    SET state = NEW.payload ->> '$.state',
        after_digest = coalesce(unhex(substr(NEW.payload ->> '$.after', 8)), after_digest),
        exit_code = NEW.payload ->> '$.exitCode', settled_at = NEW.at,
        event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type = 'effect.settled' AND effect_id = NEW.payload ->> '$.effectId';

    UPDATE turn
    SET status = substr(NEW.event_type, 6), completed_at = NEW.at,
        error_code = NEW.payload ->> '$.error.code', error_message = NEW.payload ->> '$.error.message',
        revision = NEW.event_seq, event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type IN ('turn.completed', 'turn.failed', 'turn.interrupted')
        AND turn_id = NEW.turn_id;

    INSERT INTO terminal_evidence (turn_id, thread_id, status, event_digest, output_digest,
        first_event_seq, last_event_seq, artifact_ids, workspace_commit, test_receipt_ids,
        input_tokens, output_tokens, event_id, event_hash)
    SELECT turn.turn_id, turn.thread_id, NEW.payload ->> '$.evidence.status', NEW.hash,
        unhex(substr(NEW.payload ->> '$.evidence.outputDigest', 8)),
        turn.first_event_seq, NEW.event_seq,
        coalesce(NEW.payload -> '$.evidence.artifactIds', '[]'), NEW.payload ->> '$.evidence.commit',
        coalesce(NEW.payload -> '$.evidence.testReceiptIds', '[]'),
        NEW.payload ->> '$.evidence.usage.inputTokens', NEW.payload ->> '$.evidence.usage.outputTokens',
        NEW.event_id, NEW.hash
    FROM turn
    WHERE NEW.event_type IN ('turn.completed', 'turn.failed', 'turn.interrupted')
        AND turn.turn_id = NEW.turn_id;

    UPDATE thread
    SET status = 'idle', active_turn_id = NULL, updated_at = NEW.at,
        event_id = NEW.event_id, event_hash = NEW.hash
    WHERE NEW.event_type IN ('turn.completed', 'turn.failed', 'turn.interrupted')
        AND thread_id = NEW.thread_id AND active_turn_id = NEW.turn_id;

    INSERT INTO idempotency (method, key, request_digest, thread_id, turn_id, created_at, event_id,
        event_hash)
    SELECT NEW.payload ->> '$.request.method', NEW.idempotency_key,
        unhex(substr(NEW.payload ->> '$.request.digest', 8)), NEW.thread_id, NEW.turn_id, NEW.at,
        NEW.event_id, NEW.hash
    WHERE NEW.event_type IN ('thread.started', 'thread.forked', 'thread.archived', 'turn.started')
        AND NEW.payload ->> '$.request.digest' IS NOT NULL;
END;

-- Outside the ledger --------------------------------------------------------------------------

-- Content too large for an event, named by its SHA-256. The row is written after its last piece.
CREATE TABLE content (
    digest     BLOB    PRIMARY KEY NOT NULL CHECK (length(digest) = 32),
    bytes      INTEGER NOT NULL CHECK (bytes >= 0),
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE content_chunk (
    digest   BLOB    NOT NULL CHECK (length(digest) = 32),
    position INTEGER NOT NULL CHECK (position >= 0),
    bytes    BLOB    NOT NULL,
    UNIQUE (digest, position)
) STRICT;

-- The schema version, where a reader finds it without knowing the migration runner's table. The
-- application id is "thkp".
PRAGMA application_id = 1953000304;
PRAGMA user_version = 1;
