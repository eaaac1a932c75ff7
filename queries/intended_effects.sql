-- Effects of a turn that have no receipt, with the event that says what is to be done.
SELECT
    effect.effect_id AS "effect_id!",
    effect.item_id AS "item_id!",
    effect.tool_use_id AS "tool_use_id!",
    event.payload ->> '$.permissionDecision' AS "permission_decision: String"
FROM effect
JOIN event ON event.event_id = effect.event_id
WHERE effect.turn_id = ?1 AND effect.state = 'intended'
ORDER BY effect.event_id;
