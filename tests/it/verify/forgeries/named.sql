-- What a forger touched, and what must be named for it.
CREATE TEMP TABLE named (event_id INTEGER, commit_id INTEGER, "table" TEXT, key TEXT);
PRAGMA ignore_check_constraints = ON;
