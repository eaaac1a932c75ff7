-- Brings the ledger beside the empty copy of its schema. The name is a URI that says mode=ro.
ATTACH ?1 AS ledger;
