-- From here a commit survives the death of the process (durability "process"), and power loss
-- from the next fsync on.
PRAGMA synchronous = NORMAL;
