-- What a forger does first.
DROP TRIGGER event_is_never_deleted;
DROP TRIGGER event_is_never_changed;
DROP TRIGGER ledger_commit_is_never_deleted;
DROP TRIGGER ledger_commit_is_never_changed;
