SELECT event_id, commit_id, "table", key FROM named;
