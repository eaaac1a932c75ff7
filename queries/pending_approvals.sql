-- Approvals of a turn that nobody has settled.
SELECT approval_id AS "approval_id!", item_id AS "item_id!", tool_use_id
FROM approval
WHERE turn_id = ?1 AND status = 'pending'
ORDER BY requested_event_id;
