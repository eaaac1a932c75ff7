-- The version of the schema; 0 for an empty file.
PRAGMA user_version;
