-- The effects of a thread of which somebody found out what became of them.
SELECT
    effect.effect_id AS "effect_id!",
    effect.thread_id AS "thread_id!",
    effect.turn_id AS "turn_id!",
    effect.item_id AS "item_id!",
    effect.tool_use_id AS "tool_use_id!",
    effect.kind AS "kind!",
    effect.target AS "target!",
    effect.state AS "state!",
    effect.before_digest,
    effect.after_digest,
    effect.exit_code,
    effect.created_at AS "created_at!",
    effect.settled_at,
    reconciliation.outcome AS "reconciled_outcome?",
    reconciliation.at AS "reconciled_at?",
    found.payload AS "reconciled_payload?"
FROM effect
LEFT JOIN reconciliation ON reconciliation.effect_id = effect.effect_id
LEFT JOIN event AS found ON found.event_id = reconciliation.event_id
WHERE reconciliation.thread_id = ?1
ORDER BY reconciliation.event_id;
