-- A page of events from a number on, in commit order, packed into one row: a row of its own for
-- each event would cost more than its hashes.
--
-- `records` is one record after the other, `lengths` their bytes, separated by commas. A record is a
-- line of numbers (event_id, bytes of salt, payload digest, previous hash, hash and payload; nothing
-- for NULL), the hashed members a line each (nothing for NULL), and the bytes just
-- counted. A payload longer than ?3 bytes is counted and left out. concat() takes the bytes of a blob
-- as they are.
SELECT
    count(*) AS "events!: i64",
    max(event_id) AS "last_event_id?: i64",
    group_concat(octet_length(record)) AS "lengths?: String",
    CAST(group_concat(record, '') AS BLOB) AS "records?: Vec<u8>"
FROM (
    SELECT event_id, concat(
        event_id, ' ', octet_length(salt), ' ', octet_length(payload_digest), ' ',
        octet_length(prev_hash), ' ', octet_length(hash), ' ', octet_length(payload), char(10),
        thread_id, char(10), event_seq, char(10), event_type, char(10), turn_id, char(10), item_id,
        char(10), tool_use_id, char(10), approval_id, char(10), trace_id, char(10), parent_id,
        char(10), idempotency_key, char(10), at, char(10),
        salt, payload_digest, prev_hash, hash, iif(octet_length(payload) > ?3, NULL, payload)
    ) AS record
    FROM event
    WHERE event_id >= ?1
    ORDER BY event_id
    LIMIT ?2
);
