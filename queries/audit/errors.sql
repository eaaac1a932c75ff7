-- Errors by kind
-- Which errors end turns, how often, with which model, and when last?
--
-- error_code: a stable word
-- model: the model asked
-- turns: how many turns ended so
-- last_at: when the last of them ended
-- last_message: what it said
SELECT error_code, model, count(*) AS turns, max(ended_at) AS last_at, error_message AS last_message
FROM audit_turns
WHERE error_code IS NOT NULL
GROUP BY error_code, model
ORDER BY turns DESC, error_code, model;
