-- One row of a projection less.
DELETE FROM {table} WHERE {key} = (SELECT max({key}) FROM {table});
