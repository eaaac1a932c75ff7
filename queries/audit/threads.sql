-- Threads by activity
-- Which threads are there, the last active first, and what happened in them?
--
-- last_event_at: when its last event was committed
-- thread_id: the thread
-- thread_title: its title
-- status: active, idle or archived
-- turns: turns of its own
-- turns_completed: how many completed
-- input_tokens: tokens read; NULL when that of any turn is unknown
-- output_tokens: tokens written; NULL when that of any turn is unknown
-- parent_thread_id: the thread it was forked from
SELECT last_event_at, thread_id, thread_title, status, turns, turns_completed, input_tokens,
    output_tokens, parent_thread_id
FROM audit_threads
ORDER BY last_event_at DESC, thread_id;
