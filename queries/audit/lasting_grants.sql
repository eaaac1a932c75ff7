-- Grants beyond one act
-- Which approvals allowed more than the one act that was asked for, and what?
--
-- settled_at: when it was granted
-- decision: acceptForTurn or acceptForSession
-- granted: what was granted, JSON
-- operation: what was asked, JSON
-- turn_id: the turn that asked
-- thread_id: its thread
SELECT settled_at, decision, granted, operation, turn_id, thread_id
FROM audit_approvals
WHERE status = 'approved' AND decision IN ('acceptForTurn', 'acceptForSession')
    AND granted IS NOT '[]'
ORDER BY settled_at DESC, approval_id DESC;
