-- The files a turn wrote or tried to, in order.
SELECT
    effect_id AS "effect_id!",
    target AS "target!",
    state AS "state!",
    before_digest,
    after_digest
FROM effect
WHERE turn_id = ?1 AND kind = 'file.write'
ORDER BY rowid
LIMIT ?2;
