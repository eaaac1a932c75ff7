-- Workspaces
-- Which workspaces were worked in, under which permission modes, and how much was changed?
--
-- workspace: its path; NULL when erased
-- permission_mode: the mode of the turns
-- turns: how many
-- effects: changes outside the ledger they set out to make
-- effects_unknown: how many of those have an outcome nobody knows
-- last_at: when the last turn was admitted
SELECT workspace, permission_mode, count(*) AS turns, sum(effects) AS effects,
    sum(effects_unknown) AS effects_unknown, max(started_at) AS last_at
FROM audit_turns
GROUP BY workspace, permission_mode
ORDER BY last_at DESC, workspace, permission_mode;
