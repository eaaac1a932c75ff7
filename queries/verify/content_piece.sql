-- The next piece of one content, from a position on.
SELECT position AS "position!", bytes AS "bytes!"
FROM content_chunk
WHERE digest = ?1 AND position >= ?2
ORDER BY position
LIMIT 1;
