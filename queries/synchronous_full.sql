-- From here every commit is fsynced before it returns (durability "power").
PRAGMA synchronous = FULL;
