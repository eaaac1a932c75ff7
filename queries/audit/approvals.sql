-- Approvals
-- Who approved or refused what, how, and how long did it take?
--
-- requested_at: when it was asked
-- status: approved, refused or pending
-- decision: the answer; NULL when nobody answered
-- settled_by: host, expiry, no_approver, invalid, interrupt or recovery
-- waited_ms: from question to settlement
-- risk: low, medium, high or critical
-- operation: the whole operation, JSON
-- turn_id: the turn that asked
SELECT requested_at, status, decision, settled_by, waited_ms, risk, operation, turn_id
FROM audit_approvals
ORDER BY requested_at DESC, approval_id DESC;
