-- Keeps a piece of content that is too large for an event; a piece kept before stays.
INSERT INTO content_chunk (digest, position, bytes)
VALUES (?1, ?2, ?3)
ON CONFLICT (digest, position) DO NOTHING;
