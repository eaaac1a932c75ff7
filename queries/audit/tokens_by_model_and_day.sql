-- Tokens by model and day
-- How many tokens did each model read and write each day, and how many answers are of unknown cost?
--
-- day: the day, UTC
-- model: the model that answered
-- answers: how many answers it gave
-- input_tokens: tokens read, of the answers whose count is known
-- output_tokens: tokens written, of the answers whose count is known
-- input_unknown: answers whose tokens read are unknown
-- output_unknown: answers whose tokens written are unknown
SELECT substr(at, 1, 10) AS day, model, count(*) AS answers,
    sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
    count(*) - count(input_tokens) AS input_unknown, count(*) - count(output_tokens) AS output_unknown
FROM audit_usage
GROUP BY day, model
ORDER BY day DESC, model;
