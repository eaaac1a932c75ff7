-- The next content by its digest, with its length as it was kept.
SELECT digest AS "digest!", bytes AS "bytes!"
FROM content
WHERE digest > ?1
ORDER BY digest
LIMIT 1;
