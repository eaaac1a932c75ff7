-- Models at work
-- How many turns did each model get, and how did they end?
--
-- model: PROVIDER/NAME
-- turns: how many it got
-- succeeded: how many succeeded
-- not_succeeded: how many ended otherwise
-- open: how many have not ended
-- mean_duration_ms: mean time from admission to end
-- last_at: when the last was admitted
SELECT model, count(*) AS turns,
    count(*) FILTER (WHERE evidence_status = 'succeeded') AS succeeded,
    count(*) FILTER (WHERE evidence_status <> 'succeeded') AS not_succeeded,
    count(*) FILTER (WHERE ended_at IS NULL) AS open,
    CAST(round(avg(duration_ms)) AS INTEGER) AS mean_duration_ms,
    max(started_at) AS last_at
FROM audit_turns
GROUP BY model
ORDER BY turns DESC, model;
