-- Refused approvals
-- What was refused, by whom or what, and why?
--
-- settled_at: when it was settled
-- settled_by: host, expiry, no_approver, invalid, interrupt or recovery
-- decision: decline or cancel; NULL when nobody answered
-- refusal_reason: why, in the words of who refused
-- operation: the whole operation, JSON
-- turn_id: the turn that asked
-- thread_id: its thread
SELECT settled_at, settled_by, decision, refusal_reason, operation, turn_id, thread_id
FROM audit_approvals
WHERE status = 'refused'
ORDER BY settled_at DESC, approval_id DESC;
