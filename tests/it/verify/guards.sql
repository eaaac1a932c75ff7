-- What a forger takes away first and puts back last.
SELECT name, sql FROM sqlite_schema WHERE type = 'trigger';
