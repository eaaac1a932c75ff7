-- Waiting for approvals
-- How long did turns wait for answers, by what settled them?
--
-- settled_by: host, expiry, no_approver, invalid, interrupt or recovery
-- approvals: how many
-- approved: how many were approved
-- mean_wait_ms: mean time from question to settlement
-- longest_wait_ms: the longest
SELECT settled_by, count(*) AS approvals, count(*) FILTER (WHERE status = 'approved') AS approved,
    CAST(round(avg(waited_ms)) AS INTEGER) AS mean_wait_ms, max(waited_ms) AS longest_wait_ms
FROM audit_approvals
WHERE status <> 'pending'
GROUP BY settled_by
ORDER BY approvals DESC, settled_by;
