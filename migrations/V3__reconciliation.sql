-- Effects of unknown outcome are looked into.

-- What a person or a job found out about an effect of unknown outcome. Who found out and how is in
-- the payload of the event; it is not kept twice.
CREATE TABLE reconciliation (
    -- The effect.
    effect_id        TEXT    PRIMARY KEY NOT NULL,
    thread_id        TEXT    NOT NULL,
    -- What became of it.
    outcome          TEXT    NOT NULL CHECK (outcome IN ('happened', 'did_not_happen')),
    -- The event that had left the effect unknown.
    settled_event_id INTEGER NOT NULL,
    -- When that was recorded.
    at               INTEGER NOT NULL,
    event_id         INTEGER NOT NULL,
    event_hash       BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX reconciliation_by_thread ON reconciliation (thread_id);

CREATE TRIGGER reconciliation_is_never_changed BEFORE UPDATE ON reconciliation BEGIN
    SELECT raise(ABORT, 'an effect is reconciled once');
END;

CREATE TRIGGER reconciliation_is_never_deleted BEFORE DELETE ON reconciliation BEGIN
    SELECT raise(ABORT, 'an effect is reconciled once');
END;

-- The evidence of the turn stays as it was written: what was unknown then was unknown then.
CREATE TRIGGER effect_is_reconciled AFTER INSERT ON event WHEN NEW.event_type = 'effect.reconciled' BEGIN
    SELECT raise(ABORT, 'only an effect of unknown outcome is reconciled, in its own thread')
    WHERE NOT EXISTS (
        SELECT 1 FROM effect
        WHERE effect_id = NEW.payload ->> '$.effectId' AND thread_id = NEW.thread_id AND state = 'unknown');

    INSERT INTO reconciliation (effect_id, thread_id, outcome, settled_event_id, at, event_id, event_hash)
    SELECT effect_id, thread_id, NEW.payload ->> '$.outcome', event_id, NEW.at, NEW.event_id, NEW.hash
    FROM effect
    WHERE effect_id = NEW.payload ->> '$.effectId';

    UPDATE effect
    SET state = NEW.payload ->> '$.outcome', event_id = NEW.event_id, event_hash = NEW.hash
    WHERE effect_id = NEW.payload ->> '$.effectId';

    INSERT INTO idempotency (method, key, request_digest, thread_id, turn_id, created_at, event_id,
        event_hash)
    SELECT NEW.payload ->> '$.request.method', NEW.idempotency_key,
        unhex(substr(NEW.payload ->> '$.request.digest', 8)), NEW.thread_id, NULL, NEW.at,
        NEW.event_id, NEW.hash
    WHERE NEW.payload ->> '$.request.digest' IS NOT NULL;
END;

DROP VIEW audit_effects;

CREATE VIEW audit_effects AS
-- The changes outside the ledger, one row each: committed before they are tried, settled after.
SELECT
    -- Name of the effect.
    effect.effect_id AS effect_id,
    -- Its thread.
    effect.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- Its turn.
    effect.turn_id AS turn_id,
    -- What the turn is now.
    turn.status AS turn_status,
    -- The model that wanted it.
    turn.model AS model,
    -- The tool item it belongs to.
    effect.item_id AS item_id,
    -- The tool call it belongs to.
    effect.tool_use_id AS tool_use_id,
    -- file.write, process.exec …
    effect.kind AS kind,
    -- The path relative to the workspace, or the command line.
    effect.target AS target,
    -- intended: about to act, no receipt yet; happened; did_not_happen; unknown: some of it may
    -- have happened, until somebody reconciles it.
    effect.state AS state,
    -- Content before, for files; NULL when there was no file or it is not known.
    lower(nullif(hex(effect.before_digest), '')) AS before_digest,
    -- Content after, for files; NULL when not known.
    lower(nullif(hex(effect.after_digest), '')) AS after_digest,
    -- Exit code of a process that ended by itself.
    effect.exit_code AS exit_code,
    -- When it was committed that it would be tried.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.created_at / 1000.0, 'unixepoch') AS intended_at,
    -- When its outcome was recorded; NULL while it is open.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.settled_at / 1000.0, 'unixepoch') AS settled_at,
    -- What else is known of the outcome, JSON.
    iif(effect.settled_at IS NULL, NULL, last.payload -> '$.details') AS details,
    -- What was found out of an outcome that was unknown: happened, did_not_happen; NULL when nothing
    -- was.
    reconciliation.outcome AS reconciled_outcome,
    -- When that was recorded.
    strftime('%Y-%m-%dT%H:%M:%fZ', reconciliation.at / 1000.0, 'unixepoch') AS reconciled_at,
    -- Who found out; NULL when erased.
    found.payload ->> '$.actor' AS reconciled_by,
    -- How; NULL when erased.
    found.payload ->> '$.note' AS reconciled_note
FROM effect
LEFT JOIN thread ON thread.thread_id = effect.thread_id
LEFT JOIN turn ON turn.turn_id = effect.turn_id
LEFT JOIN reconciliation ON reconciliation.effect_id = effect.effect_id
LEFT JOIN event AS last ON last.event_id = coalesce(reconciliation.settled_event_id, effect.event_id)
LEFT JOIN event AS found ON found.event_id = reconciliation.event_id;

PRAGMA user_version = 3;
