-- Nobody ever belonged to that turn: a member that was not there is said to be "-".
UPDATE event SET trace_id = '-' WHERE event_id = 4;
