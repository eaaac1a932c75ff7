-- The hashes of the events of a commit, the leaves of its tree, in their order.
SELECT hash AS "hash!"
FROM event
WHERE event_id BETWEEN ?1 AND ?2
ORDER BY event_id;
