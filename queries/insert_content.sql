-- Says that content is whole: all its pieces are kept.
INSERT INTO content (digest, bytes, created_at)
VALUES (?1, ?2, ?3)
ON CONFLICT (digest) DO NOTHING;
