-- Tools and on what ground they ran
-- How often was each tool called, and how often was that allowed, approved, granted or refused?
--
-- tool: the tool
-- permission_decision: allowed, approved, granted, refused; NULL when nobody judged it
-- calls: how many
-- failed: how many of them failed or were refused
-- last_at: when last
SELECT tool, permission_decision, count(*) AS calls, count(*) FILTER (WHERE is_error) AS failed,
    max(started_at) AS last_at
FROM audit_tool_calls
GROUP BY tool, permission_decision
ORDER BY tool, permission_decision;
