-- Effects of a turn that have no receipt.
SELECT effect_id AS "effect_id!", item_id AS "item_id!", tool_use_id AS "tool_use_id!"
FROM effect
WHERE turn_id = ?1 AND state = 'intended'
ORDER BY event_id;
