-- What was said
-- What did users ask, and what were they answered, newest first?
--
-- started_at: when it was asked
-- thread_title: title of the thread
-- thread_id: the thread
-- model: the model that answered
-- status: what the turn is now
-- asked: what the user said; NULL when erased
-- answered: text of the last assistant message; NULL when there is none or it is erased
SELECT started_at, thread_title, thread_id, model, status, asked, answered
FROM audit_turns
ORDER BY started_at DESC, turn_id DESC;
