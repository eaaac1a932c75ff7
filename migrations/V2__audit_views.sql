-- What an auditor reads: `SELECT * FROM audit_turns;`
--
-- Every view stands alone: what a reader would have to join for is in it. Times are ISO 8601 in UTC
-- with milliseconds, digests are lower-case hexadecimal. NULL means unknown, not yet, or erased,
-- never zero. The meaning of a column never changes; a later version may add columns at the end.
-- The views use nothing that SQLite 3.40 lacks, so that the sqlite3 of an old system reads them.
--
-- The comment after CREATE VIEW says what the view holds, the comment above a column what the
-- column holds. docs/DATA-DICTIONARY.md is made from them.

CREATE VIEW audit_threads AS
-- The threads, one row each.
SELECT
    -- Name of the thread.
    thread.thread_id AS thread_id,
    -- Its title.
    thread.title AS thread_title,
    -- active while a turn runs, idle, archived.
    thread.status AS status,
    -- When it began.
    strftime('%Y-%m-%dT%H:%M:%fZ', thread.created_at / 1000.0, 'unixepoch') AS created_at,
    -- When its status last changed.
    strftime('%Y-%m-%dT%H:%M:%fZ', thread.updated_at / 1000.0, 'unixepoch') AS updated_at,
    -- For a fork: the thread it goes on from.
    thread.parent_thread_id AS parent_thread_id,
    -- For a fork: the last event it shares with that thread.
    thread.fork_event_seq AS fork_event_seq,
    -- The turn that runs now.
    thread.active_turn_id AS active_turn_id,
    -- How many turns it has of its own; what a fork shares is counted where it happened.
    (SELECT count(*) FROM turn WHERE turn.thread_id = thread.thread_id) AS turns,
    -- How many of them completed.
    (SELECT count(*) FROM turn WHERE turn.thread_id = thread.thread_id AND turn.status = 'completed')
        AS turns_completed,
    -- How many of them failed.
    (SELECT count(*) FROM turn WHERE turn.thread_id = thread.thread_id AND turn.status = 'failed')
        AS turns_failed,
    -- How many of them were interrupted.
    (SELECT count(*) FROM turn WHERE turn.thread_id = thread.thread_id AND turn.status = 'interrupted')
        AS turns_interrupted,
    -- Tokens read over its ended turns; NULL when that of any is unknown, or none has ended.
    (SELECT iif(count(*) = count(evidence.input_tokens), sum(evidence.input_tokens), NULL)
        FROM turn JOIN terminal_evidence AS evidence ON evidence.turn_id = turn.turn_id
        WHERE turn.thread_id = thread.thread_id) AS input_tokens,
    -- Tokens written over its ended turns; NULL when that of any is unknown, or none has ended.
    (SELECT iif(count(*) = count(evidence.output_tokens), sum(evidence.output_tokens), NULL)
        FROM turn JOIN terminal_evidence AS evidence ON evidence.turn_id = turn.turn_id
        WHERE turn.thread_id = thread.thread_id) AS output_tokens,
    -- Place of its last event.
    head.event_seq AS last_event_seq,
    -- When that event was committed.
    strftime('%Y-%m-%dT%H:%M:%fZ', head.at / 1000.0, 'unixepoch') AS last_event_at,
    -- Hash of that event: the head of the thread's chain.
    lower(hex(head.hash)) AS head_hash,
    -- What the host keeps with the thread, JSON.
    thread.metadata AS metadata
FROM thread
LEFT JOIN event AS head ON head.thread_id = thread.thread_id
    AND head.event_seq = (SELECT max(event_seq) FROM event WHERE event.thread_id = thread.thread_id);

CREATE VIEW audit_turns AS
-- The turns, one row each: what was asked, what came of it, what it cost.
SELECT
    -- Name of the turn.
    turn.turn_id AS turn_id,
    -- Its thread.
    turn.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- queued, running, waiting_approval, waiting_input, completed, failed, interrupted.
    turn.status AS status,
    -- The model asked, PROVIDER/NAME.
    turn.model AS model,
    -- When it was admitted.
    strftime('%Y-%m-%dT%H:%M:%fZ', turn.created_at / 1000.0, 'unixepoch') AS started_at,
    -- When it ended; NULL while it has not.
    strftime('%Y-%m-%dT%H:%M:%fZ', turn.completed_at / 1000.0, 'unixepoch') AS ended_at,
    -- From admission to end, in milliseconds; NULL while it has not ended.
    turn.completed_at - turn.created_at AS duration_ms,
    -- What the user said; NULL when erased.
    (SELECT said.payload ->> '$.content.text'
        FROM item JOIN event AS said ON said.event_id = item.event_id
        WHERE item.turn_id = turn.turn_id AND item.kind = 'user_message'
        ORDER BY item.first_event_seq LIMIT 1) AS asked,
    -- Text of its last assistant message; NULL when there is none or it is erased.
    (SELECT said.payload ->> '$.content.text'
        FROM item JOIN event AS said ON said.event_id = item.event_id
        WHERE item.turn_id = turn.turn_id AND item.kind = 'assistant_message'
        ORDER BY item.first_event_seq DESC LIMIT 1) AS answered,
    -- The outcome by its terminal evidence: succeeded, failed, partial, cancelled, blocked,
    -- budget_exhausted; NULL while it has not ended.
    evidence.status AS evidence_status,
    -- Why it failed or was interrupted: a stable word.
    turn.error_code AS error_code,
    -- The same for a person.
    turn.error_message AS error_message,
    -- Permission mode it ran under: default, manual, dontAsk, plan; NULL when erased.
    started.payload ->> '$.permissionMode' AS permission_mode,
    -- Digest of mode, rules and limits it ran under; NULL when erased.
    substr(started.payload ->> '$.policyDigest', 8) AS policy_digest,
    -- Path of the workspace; NULL when erased.
    started.payload ->> '$.workspace' AS workspace,
    -- Commit of the workspace when it ended; NULL when it was no git work tree.
    evidence.workspace_commit AS workspace_commit,
    -- The process that ran it.
    turn.owner_id AS owner_id,
    -- Which of its runs this is: 1, and one more for each takeover.
    turn.epoch AS epoch,
    -- How many tools it called.
    (SELECT count(*) FROM item WHERE item.turn_id = turn.turn_id AND item.kind = 'tool') AS tool_calls,
    -- How many approvals it asked for.
    (SELECT count(*) FROM approval WHERE approval.turn_id = turn.turn_id) AS approvals,
    -- How many of them were refused.
    (SELECT count(*) FROM approval WHERE approval.turn_id = turn.turn_id AND approval.status = 'refused')
        AS approvals_refused,
    -- How many changes outside the ledger it set out to make.
    (SELECT count(*) FROM effect WHERE effect.turn_id = turn.turn_id) AS effects,
    -- How many of them have an outcome nobody knows, or none yet.
    (SELECT count(*) FROM effect
        WHERE effect.turn_id = turn.turn_id AND effect.state IN ('unknown', 'intended'))
        AS effects_unknown,
    -- Tokens read over the turn; NULL when that of any answer is unknown.
    evidence.input_tokens AS input_tokens,
    -- Tokens written over the turn; NULL when that of any answer is unknown.
    evidence.output_tokens AS output_tokens,
    -- Place of its first event in the thread.
    turn.first_event_seq AS first_event_seq,
    -- Place of the event that last changed it: the terminal one once it has ended.
    turn.revision AS last_event_seq
FROM turn
LEFT JOIN thread ON thread.thread_id = turn.thread_id
LEFT JOIN terminal_evidence AS evidence ON evidence.turn_id = turn.turn_id
LEFT JOIN event AS started ON started.thread_id = turn.thread_id
    AND started.event_seq = turn.first_event_seq;

CREATE VIEW audit_events AS
-- The ledger itself, one row an event, with what its thread, turn and item are now.
SELECT
    -- Commit order over the whole store.
    event.event_id AS event_id,
    -- The thread that wrote it.
    event.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- Its place in the thread: 1, 2, 3 … A fork goes on counting from where it forks.
    event.event_seq AS event_seq,
    -- What it records: thread.started, turn.completed, item.delta …
    event.event_type AS event_type,
    -- When it was committed.
    strftime('%Y-%m-%dT%H:%M:%fZ', event.at / 1000.0, 'unixepoch') AS at,
    -- The turn it belongs to.
    event.turn_id AS turn_id,
    -- What that turn is now.
    turn.status AS turn_status,
    -- The model that turn asked.
    turn.model AS model,
    -- The item it belongs to.
    event.item_id AS item_id,
    -- What that item is: user_message, assistant_message, reasoning, tool, error …
    item.kind AS item_kind,
    -- The tool call it belongs to.
    event.tool_use_id AS tool_use_id,
    -- The approval it belongs to.
    event.approval_id AS approval_id,
    -- The cause it shares with other events.
    event.trace_id AS trace_id,
    -- The item it is part of.
    event.parent_id AS parent_id,
    -- A stable name of what it records, or the idempotency key of the request it answers.
    event.idempotency_key AS idempotency_key,
    -- The bytes that were hashed, JSON; NULL when erased.
    event.payload AS payload,
    -- 1 when the payload was erased, 0 when it is there.
    event.payload IS NULL AS erased,
    -- SHA-256 of salt and payload.
    lower(hex(event.payload_digest)) AS payload_digest,
    -- Hash of the event before it in the thread; zeros for a thread's first.
    lower(hex(event.prev_hash)) AS prev_hash,
    -- Its own hash.
    lower(hex(event.hash)) AS hash
FROM event
LEFT JOIN thread ON thread.thread_id = event.thread_id
LEFT JOIN turn ON turn.turn_id = event.turn_id
LEFT JOIN item ON item.item_id = event.item_id;

CREATE VIEW audit_tool_calls AS
-- The tool calls, one row each, run or not.
SELECT
    -- The call, as the ledger names it.
    item.tool_use_id AS tool_use_id,
    -- Its item.
    item.item_id AS item_id,
    -- Its turn.
    item.turn_id AS turn_id,
    -- Its thread.
    item.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- What the turn is now.
    turn.status AS turn_status,
    -- The model that made the call.
    turn.model AS model,
    -- The tool; NULL when erased.
    last.payload ->> '$.content.tool' AS tool,
    -- Its arguments, JSON; NULL when erased.
    last.payload -> '$.content.args' AS args,
    -- started, streaming, completed, failed (it ran and failed, or was refused), cancelled.
    item.status AS status,
    -- 1 when it failed or did not run, 0 when it did what was asked; NULL while that is open.
    last.payload ->> '$.content.isError' AS is_error,
    -- What the model read as the result; NULL while there is none, or when erased.
    last.payload ->> '$.content.result' AS result,
    -- On what ground it ran or not: allowed, approved, granted, refused; NULL when nobody judged it.
    (SELECT told.payload ->> '$.permissionDecision' FROM event AS told
        WHERE told.thread_id = item.thread_id
            AND told.event_seq BETWEEN item.first_event_seq AND last.event_seq
            AND told.item_id = item.item_id AND told.event_type = 'tool.result'
        ORDER BY told.event_seq DESC LIMIT 1) AS permission_decision,
    -- When it was made.
    strftime('%Y-%m-%dT%H:%M:%fZ', item.created_at / 1000.0, 'unixepoch') AS started_at,
    -- When it was answered; NULL while it has not been.
    strftime('%Y-%m-%dT%H:%M:%fZ', item.completed_at / 1000.0, 'unixepoch') AS ended_at,
    -- From call to answer, in milliseconds; NULL while it is open.
    item.completed_at - item.created_at AS duration_ms,
    -- How much of that was waiting for an approval; NULL when none was asked or it is open.
    (SELECT sum(approval.resolved_at - approval.created_at) FROM approval
        WHERE approval.turn_id = item.turn_id AND approval.item_id = item.item_id) AS approval_wait_ms,
    -- How many changes outside the ledger it set out to make.
    (SELECT count(*) FROM effect
        WHERE effect.turn_id = item.turn_id AND effect.item_id = item.item_id) AS effects,
    -- What else is recorded of the run, JSON: byte counts, exit code, digests of kept content.
    last.payload -> '$.content.details' AS details
FROM item
LEFT JOIN thread ON thread.thread_id = item.thread_id
LEFT JOIN turn ON turn.turn_id = item.turn_id
LEFT JOIN event AS last ON last.event_id = item.event_id
WHERE item.kind = 'tool';

CREATE VIEW audit_approvals AS
-- The approvals, one row each: what was asked, who settled it and how.
SELECT
    -- Name of the approval.
    approval.approval_id AS approval_id,
    -- Its thread.
    approval.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- Its turn.
    approval.turn_id AS turn_id,
    -- What the turn is now.
    turn.status AS turn_status,
    -- The model that wanted it.
    turn.model AS model,
    -- The item it is about.
    approval.item_id AS item_id,
    -- The tool call it is about.
    approval.tool_use_id AS tool_use_id,
    -- pending, approved, refused.
    approval.status AS status,
    -- The answer: acceptOnce, acceptForTurn, acceptForSession, decline, cancel; NULL when nobody
    -- answered.
    approval.decision AS decision,
    -- Who or what settled it: host, expiry, no_approver, invalid, interrupt, recovery; NULL while it
    -- is pending.
    approval.via AS settled_by,
    -- Why it was declined, in the words of who did.
    iif(approval.resolved_at IS NULL, NULL, settled.payload ->> '$.decision.reason') AS refusal_reason,
    -- What a lasting answer grants, JSON.
    iif(approval.resolved_at IS NULL, NULL, settled.payload -> '$.decision.permissions') AS granted,
    -- The whole operation, JSON; NULL when erased.
    requested.payload -> '$.request.operation' AS operation,
    -- How bad it can be: low, medium, high, critical; NULL when erased.
    requested.payload ->> '$.request.risk' AS risk,
    -- Why it was asked; NULL when erased.
    requested.payload ->> '$.request.reason' AS request_reason,
    -- When it was asked.
    strftime('%Y-%m-%dT%H:%M:%fZ', approval.created_at / 1000.0, 'unixepoch') AS requested_at,
    -- When it was settled; NULL while it is pending.
    strftime('%Y-%m-%dT%H:%M:%fZ', approval.resolved_at / 1000.0, 'unixepoch') AS settled_at,
    -- From question to settlement, in milliseconds; NULL while it is pending.
    approval.resolved_at - approval.created_at AS waited_ms,
    -- When it is too late to answer.
    strftime('%Y-%m-%dT%H:%M:%fZ', approval.expires_at / 1000.0, 'unixepoch') AS expires_at,
    -- SHA-256 of the operation's JSON text: the answer is good for it alone.
    lower(hex(approval.operation_digest)) AS operation_digest,
    -- Digest of the policy it was asked under.
    lower(hex(approval.policy_digest)) AS policy_digest,
    -- The random word that ties the answer to this question.
    approval.nonce AS nonce
FROM approval
LEFT JOIN thread ON thread.thread_id = approval.thread_id
LEFT JOIN turn ON turn.turn_id = approval.turn_id
LEFT JOIN event AS requested ON requested.event_id = approval.requested_event_id
LEFT JOIN event AS settled ON settled.event_id = approval.event_id;

CREATE VIEW audit_effects AS
-- The changes outside the ledger, one row each: committed before they are tried, settled after.
SELECT
    -- Name of the effect.
    effect.effect_id AS effect_id,
    -- Its thread.
    effect.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- Its turn.
    effect.turn_id AS turn_id,
    -- What the turn is now.
    turn.status AS turn_status,
    -- The model that wanted it.
    turn.model AS model,
    -- The tool item it belongs to.
    effect.item_id AS item_id,
    -- The tool call it belongs to.
    effect.tool_use_id AS tool_use_id,
    -- file.write, process.exec …
    effect.kind AS kind,
    -- The path relative to the workspace, or the command line.
    effect.target AS target,
    -- intended: about to act, no receipt yet; happened; did_not_happen; unknown: some of it may
    -- have happened.
    effect.state AS state,
    -- Content before, for files; NULL when there was no file or it is not known.
    lower(nullif(hex(effect.before_digest), '')) AS before_digest,
    -- Content after, for files; NULL when not known.
    lower(nullif(hex(effect.after_digest), '')) AS after_digest,
    -- Exit code of a process that ended by itself.
    effect.exit_code AS exit_code,
    -- When it was committed that it would be tried.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.created_at / 1000.0, 'unixepoch') AS intended_at,
    -- When its outcome was recorded; NULL while it is open.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.settled_at / 1000.0, 'unixepoch') AS settled_at,
    -- What else is known of the outcome, JSON.
    iif(effect.settled_at IS NULL, NULL, last.payload -> '$.details') AS details
FROM effect
LEFT JOIN thread ON thread.thread_id = effect.thread_id
LEFT JOIN turn ON turn.turn_id = effect.turn_id
LEFT JOIN event AS last ON last.event_id = effect.event_id;

CREATE VIEW audit_commands AS
-- The programs that were run, one row each. A refused one is in audit_approvals and
-- audit_tool_calls.
SELECT
    -- Name of the effect.
    effect.effect_id AS effect_id,
    -- The command line.
    effect.target AS command,
    -- intended: it may be running; happened: it ran; did_not_happen; unknown: it was begun and
    -- nobody knows how it ended.
    effect.state AS state,
    -- Its exit code; NULL when it did not end by itself.
    effect.exit_code AS exit_code,
    -- When it was committed that it would be run.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.created_at / 1000.0, 'unixepoch') AS started_at,
    -- When its outcome was recorded; NULL while it is open.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.settled_at / 1000.0, 'unixepoch') AS ended_at,
    -- Between the two, in milliseconds.
    effect.settled_at - effect.created_at AS duration_ms,
    -- On what ground it ran: allowed, approved, granted; NULL while its tool call is open.
    (SELECT told.payload ->> '$.permissionDecision' FROM event AS told
        WHERE told.thread_id = item.thread_id
            AND told.event_seq BETWEEN item.first_event_seq AND answer.event_seq
            AND told.item_id = item.item_id AND told.event_type = 'tool.result'
        ORDER BY told.event_seq DESC LIMIT 1) AS permission_decision,
    -- The tool that ran it; NULL when erased.
    answer.payload ->> '$.content.tool' AS tool,
    -- What the model read of its output; NULL while it is open, or when erased.
    answer.payload ->> '$.content.result' AS result,
    -- What else is recorded of the run, JSON.
    answer.payload -> '$.content.details' AS details,
    -- The workspace it ran in; NULL when erased.
    started.payload ->> '$.workspace' AS workspace,
    -- The tool call it belongs to.
    effect.tool_use_id AS tool_use_id,
    -- Its turn.
    effect.turn_id AS turn_id,
    -- What the turn is now.
    turn.status AS turn_status,
    -- The model that wanted it.
    turn.model AS model,
    -- Its thread.
    effect.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title
FROM effect
LEFT JOIN thread ON thread.thread_id = effect.thread_id
LEFT JOIN turn ON turn.turn_id = effect.turn_id
LEFT JOIN event AS started ON started.thread_id = turn.thread_id
    AND started.event_seq = turn.first_event_seq
LEFT JOIN item ON item.item_id = effect.item_id
LEFT JOIN event AS answer ON answer.event_id = item.event_id
WHERE effect.kind = 'process.exec';

CREATE VIEW audit_file_writes AS
-- The files that were written, one row a write.
SELECT
    -- Name of the effect.
    effect.effect_id AS effect_id,
    -- The path, relative to the workspace.
    effect.target AS path,
    -- intended: about to write; happened; did_not_happen; unknown: it may be written in part.
    effect.state AS state,
    -- SHA-256 of the content before; NULL when there was no file or it is not known.
    lower(nullif(hex(effect.before_digest), '')) AS before_digest,
    -- SHA-256 of the content after; NULL when not known.
    lower(nullif(hex(effect.after_digest), '')) AS after_digest,
    -- When it was committed that it would be written.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.created_at / 1000.0, 'unixepoch') AS started_at,
    -- When the outcome was recorded; NULL while it is open.
    strftime('%Y-%m-%dT%H:%M:%fZ', effect.settled_at / 1000.0, 'unixepoch') AS ended_at,
    -- On what ground it was written: allowed, approved, granted; NULL while its tool call is open.
    (SELECT told.payload ->> '$.permissionDecision' FROM event AS told
        WHERE told.thread_id = item.thread_id
            AND told.event_seq BETWEEN item.first_event_seq AND answer.event_seq
            AND told.item_id = item.item_id AND told.event_type = 'tool.result'
        ORDER BY told.event_seq DESC LIMIT 1) AS permission_decision,
    -- The tool that wrote it; NULL when erased.
    answer.payload ->> '$.content.tool' AS tool,
    -- The workspace the path is in; NULL when erased.
    started.payload ->> '$.workspace' AS workspace,
    -- The tool call it belongs to.
    effect.tool_use_id AS tool_use_id,
    -- Its turn.
    effect.turn_id AS turn_id,
    -- What the turn is now.
    turn.status AS turn_status,
    -- The model that wanted it.
    turn.model AS model,
    -- Its thread.
    effect.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title
FROM effect
LEFT JOIN thread ON thread.thread_id = effect.thread_id
LEFT JOIN turn ON turn.turn_id = effect.turn_id
LEFT JOIN event AS started ON started.thread_id = turn.thread_id
    AND started.event_seq = turn.first_event_seq
LEFT JOIN item ON item.item_id = effect.item_id
LEFT JOIN event AS answer ON answer.event_id = item.event_id
WHERE effect.kind = 'file.write';

CREATE VIEW audit_usage AS
-- What the models' answers cost, one row an answer.
SELECT
    -- The event that records it.
    event.event_id AS event_id,
    -- When the answer was whole.
    strftime('%Y-%m-%dT%H:%M:%fZ', event.at / 1000.0, 'unixepoch') AS at,
    -- The model that answered, PROVIDER/NAME; NULL when erased.
    event.payload ->> '$.model' AS model,
    -- Tokens read; NULL when unknown.
    event.payload ->> '$.inputTokens' AS input_tokens,
    -- Of those, from the provider's cache; NULL when unknown.
    event.payload ->> '$.cachedInputTokens' AS cached_input_tokens,
    -- Tokens written; NULL when unknown.
    event.payload ->> '$.outputTokens' AS output_tokens,
    -- Of those, reasoning; NULL when unknown.
    event.payload ->> '$.reasoningTokens' AS reasoning_tokens,
    -- Why the model stopped.
    event.payload ->> '$.stop' AS stop,
    -- From the request to the end of the answer, in milliseconds.
    event.payload ->> '$.durationMs' AS duration_ms,
    -- Its turn.
    event.turn_id AS turn_id,
    -- What the turn is now.
    turn.status AS turn_status,
    -- Its thread.
    event.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title
FROM event
LEFT JOIN thread ON thread.thread_id = event.thread_id
LEFT JOIN turn ON turn.turn_id = event.turn_id
WHERE event.event_type = 'usage.recorded';

CREATE VIEW audit_evidence AS
-- The terminal evidence, one row a turn that ended: written once, in the commit that ends the turn.
SELECT
    -- The turn.
    evidence.turn_id AS turn_id,
    -- Its thread.
    evidence.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- How the turn ended: completed, failed, interrupted.
    turn.status AS turn_status,
    -- The model asked.
    turn.model AS model,
    -- The outcome: succeeded, failed, partial, cancelled, blocked, budget_exhausted.
    evidence.status AS status,
    -- When the turn ended.
    strftime('%Y-%m-%dT%H:%M:%fZ', turn.completed_at / 1000.0, 'unixepoch') AS ended_at,
    -- First event of the turn.
    evidence.first_event_seq AS first_event_seq,
    -- Last event of the turn: the terminal one.
    evidence.last_event_seq AS last_event_seq,
    -- Hash of the terminal event: through the chain it covers every event before it.
    lower(hex(evidence.event_digest)) AS event_digest,
    -- SHA-256 of the text of the last assistant message; NULL when there is none.
    lower(nullif(hex(evidence.output_digest), '')) AS output_digest,
    -- Commit of the workspace; NULL when it was no git work tree.
    evidence.workspace_commit AS workspace_commit,
    -- Tokens read; NULL when that of any answer is unknown.
    evidence.input_tokens AS input_tokens,
    -- Tokens written; NULL when that of any answer is unknown.
    evidence.output_tokens AS output_tokens,
    -- Approvals that were given.
    (SELECT count(*) FROM approval
        WHERE approval.turn_id = evidence.turn_id AND approval.status = 'approved') AS approvals_approved,
    -- Approvals that were refused.
    (SELECT count(*) FROM approval
        WHERE approval.turn_id = evidence.turn_id AND approval.status = 'refused') AS approvals_refused,
    -- Changes outside the ledger that happened.
    (SELECT count(*) FROM effect
        WHERE effect.turn_id = evidence.turn_id AND effect.state = 'happened') AS effects_happened,
    -- Changes that did not happen.
    (SELECT count(*) FROM effect
        WHERE effect.turn_id = evidence.turn_id AND effect.state = 'did_not_happen')
        AS effects_did_not_happen,
    -- Changes whose outcome nobody knows.
    (SELECT count(*) FROM effect
        WHERE effect.turn_id = evidence.turn_id AND effect.state IN ('unknown', 'intended'))
        AS effects_unknown,
    -- Artifacts the turn made, a JSON array.
    evidence.artifact_ids AS artifact_ids,
    -- Receipts of test runs, a JSON array.
    evidence.test_receipt_ids AS test_receipt_ids
FROM terminal_evidence AS evidence
LEFT JOIN thread ON thread.thread_id = evidence.thread_id
LEFT JOIN turn ON turn.turn_id = evidence.turn_id;

CREATE VIEW audit_idempotency AS
-- The requests that happen once: which key led to what. Rows are dropped after 30 days.
SELECT
    -- The method, for example turn/start.
    idempotency.method AS method,
    -- The key the caller chose.
    idempotency.key AS key,
    -- SHA-256 of what was asked: the same key with another is refused.
    lower(hex(idempotency.request_digest)) AS request_digest,
    -- When it was carried out.
    strftime('%Y-%m-%dT%H:%M:%fZ', idempotency.created_at / 1000.0, 'unixepoch') AS created_at,
    -- The thread it led to.
    idempotency.thread_id AS thread_id,
    -- Title of the thread.
    thread.title AS thread_title,
    -- The turn it led to.
    idempotency.turn_id AS turn_id,
    -- What that turn is now.
    turn.status AS turn_status,
    -- The event that answers it.
    idempotency.event_id AS event_id
FROM idempotency
LEFT JOIN thread ON thread.thread_id = idempotency.thread_id
LEFT JOIN turn ON turn.turn_id = idempotency.turn_id;

CREATE VIEW audit_commits AS
-- The commit chain, one row a transaction.
SELECT
    -- 1, 2, 3 …
    commit_id AS commit_id,
    -- When it was made.
    strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') AS at,
    -- Its first event.
    first_event_id AS first_event_id,
    -- Its last event.
    last_event_id AS last_event_id,
    -- How many events it added.
    last_event_id - first_event_id + 1 AS events,
    -- Merkle root (RFC 6962) over the hashes of its events.
    lower(hex(root)) AS root,
    -- Hash of the commit before it; zeros for the first.
    lower(hex(prev_hash)) AS prev_hash,
    -- Its own hash. Noted elsewhere, it shows a later removal of anything up to here.
    lower(hex(hash)) AS hash
FROM ledger_commit;

PRAGMA user_version = 2;
