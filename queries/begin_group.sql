-- Takes the write lock before anything is read, so that what is read stays true.
BEGIN IMMEDIATE;
