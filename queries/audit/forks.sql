-- Forks
-- Which threads go on from which others, and from where?
--
-- created_at: when it was forked
-- thread_id: the fork
-- thread_title: its title
-- parent_thread_id: the thread it goes on from
-- fork_event_seq: the last event they share
-- turns: turns since
SELECT created_at, thread_id, thread_title, parent_thread_id, fork_event_seq, turns
FROM audit_threads
WHERE parent_thread_id IS NOT NULL
ORDER BY created_at DESC, thread_id;
