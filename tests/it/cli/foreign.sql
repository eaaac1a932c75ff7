-- Somebody else's database.
CREATE TABLE x (a);
INSERT INTO x VALUES (1);
