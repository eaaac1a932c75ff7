-- Kept content is another.
UPDATE content_chunk SET bytes = CAST('forged' AS BLOB) WHERE position = 0;
