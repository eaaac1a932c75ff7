-- Commits per day
-- How much was committed each day, and what was the head at its end?
--
-- day: the day, UTC
-- commits: transactions
-- events: events they added
-- last_commit_id: the last of the day
-- last_hash: its hash: noted elsewhere, it shows a later removal of anything up to there
SELECT substr(at, 1, 10) AS day, count(*) AS commits, sum(events) AS events,
    max(commit_id) AS last_commit_id, hash AS last_hash
FROM audit_commits
GROUP BY day
ORDER BY day DESC;
