-- What a version far ahead would have left.
PRAGMA user_version = 999;
