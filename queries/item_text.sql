-- What of an item's text has been streamed, put together.
SELECT group_concat(text, '') AS "text?: String"
FROM (
    SELECT payload ->> '$.delta.text' AS text
    FROM event
    WHERE thread_id = ?1 AND event_seq > ?2 AND item_id = ?3 AND event_type = 'item.delta'
    ORDER BY event_seq
);
