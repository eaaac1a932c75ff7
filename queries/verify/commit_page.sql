-- A page of commits from a number on, packed into one row: a line of numbers for each (commit_id,
-- at, first_event_id, last_event_id, bytes of root, previous hash and hash), and those bytes.
SELECT
    max(commit_id) AS "last_commit_id?: i64",
    group_concat(octet_length(record)) AS "lengths?: String",
    CAST(group_concat(record, '') AS BLOB) AS "records?: Vec<u8>"
FROM (
    SELECT commit_id, concat(
        commit_id, ' ', at, ' ', first_event_id, ' ', last_event_id, ' ', octet_length(root), ' ',
        octet_length(prev_hash), ' ', octet_length(hash), char(10), root, prev_hash, hash
    ) AS record
    FROM ledger_commit
    WHERE commit_id >= ?1
    ORDER BY commit_id
    LIMIT ?2
);
