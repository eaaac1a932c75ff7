-- The items of a turn that have not ended, oldest first.
SELECT
    item.item_id AS "item_id!",
    item.thread_id AS "thread_id!",
    item.turn_id AS "turn_id!",
    item.kind AS "kind!",
    item.status AS "status!",
    item.parent_id,
    item.tool_use_id,
    item.created_at AS "created_at!",
    item.completed_at,
    item.first_event_seq AS "first_event_seq!",
    event.payload
FROM item
JOIN event ON event.event_id = item.event_id
WHERE item.turn_id = ?1 AND item.completed_at IS NULL
ORDER BY item.first_event_seq;
