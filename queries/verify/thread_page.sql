-- A page of the events of one thread from one place up to another, packed as event_page.sql
-- says.
SELECT
    count(*) AS "events!: i64",
    max(event_seq) AS "last_event_seq?: i64",
    group_concat(octet_length(record)) AS "lengths?: String",
    CAST(group_concat(record, '') AS BLOB) AS "records?: Vec<u8>"
FROM (
    SELECT event_seq, concat(
        event_id, ' ', octet_length(salt), ' ', octet_length(payload_digest), ' ',
        octet_length(prev_hash), ' ', octet_length(hash), ' ', octet_length(payload), char(10),
        thread_id, char(10), event_seq, char(10), event_type, char(10), turn_id, char(10), item_id,
        char(10), tool_use_id, char(10), approval_id, char(10), trace_id, char(10), parent_id,
        char(10), idempotency_key, char(10), at, char(10),
        salt, payload_digest, prev_hash, hash, iif(octet_length(payload) > ?5, NULL, payload)
    ) AS record
    FROM event
    WHERE thread_id = ?1 AND event_seq >= ?2 AND event_seq <= ?3
    ORDER BY event_seq
    LIMIT ?4
);
