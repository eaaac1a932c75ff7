-- Makes the empty copy ready to be told the events: it keeps the trigger that projects them and
-- forgets each event once it is projected. A key may be claimed again when retention has dropped the
-- row of its first claim, so the row goes when the event of the next claim comes.
--
-- What a CHECK refuses was refused when the event was committed; testing it again would take a quarter
-- of the time. The ledger's own keys and indexes are not built again either.
PRAGMA ignore_check_constraints = ON;
DROP TRIGGER main.event_is_never_deleted;
DROP INDEX main.event_by_thread;
DROP INDEX main.event_of_usage;

CREATE TRIGGER main.event_claims_again BEFORE INSERT ON event
WHEN NEW.event_type IN ('thread.started', 'thread.forked', 'thread.archived', 'turn.started',
        'effect.reconciled')
    AND NEW.payload ->> '$.request.digest' IS NOT NULL
BEGIN
    DELETE FROM idempotency
    WHERE method = NEW.payload ->> '$.request.method' AND key = NEW.idempotency_key;
END;

CREATE TABLE main.erased_thread (thread_id TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
