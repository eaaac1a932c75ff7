-- The ends of a turn's part of the chain, and the commit that holds its last event.
SELECT
    first.prev_hash AS "prev_hash!",
    ledger_commit.commit_id AS "commit_id!",
    ledger_commit.hash AS "commit_hash!"
FROM terminal_evidence AS evidence
JOIN event AS first ON first.thread_id = evidence.thread_id
    AND first.event_seq = evidence.first_event_seq
JOIN ledger_commit ON ledger_commit.commit_id = (
    SELECT commit_id FROM ledger_commit
    WHERE first_event_id <= evidence.event_id
    ORDER BY commit_id DESC
    LIMIT 1)
WHERE evidence.turn_id = ?1;
