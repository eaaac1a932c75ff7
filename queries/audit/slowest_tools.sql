-- The slowest tools
-- How long do tool calls take, waiting for approval left out?
--
-- tool: the tool
-- calls: how many calls were answered
-- failed: how many of them failed or were refused
-- mean_ms: mean time from call to answer, less the wait for an approval
-- longest_ms: the longest
SELECT tool, count(*) AS calls, count(*) FILTER (WHERE is_error) AS failed,
    CAST(round(avg(duration_ms - coalesce(approval_wait_ms, 0))) AS INTEGER) AS mean_ms,
    max(duration_ms - coalesce(approval_wait_ms, 0)) AS longest_ms
FROM audit_tool_calls
WHERE ended_at IS NOT NULL
GROUP BY tool
ORDER BY mean_ms DESC, tool;
