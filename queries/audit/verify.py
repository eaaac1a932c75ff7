#!/usr/bin/env python3
"""Verifies the event chain and the commit chain of a Threadkeep ledger with Python alone.

usage: verify.py threadkeep.db [COMMIT_ID:HEX]    the second names a commit head noted earlier
exit:  0 intact, 1 broken (the first bad event or commit is named), 2 cannot be read
"""
import json, sqlite3, sys
from hashlib import sha256

def lines(*members):
    return sha256("".join(f"{'-' if m is None else m}\n" for m in members).encode()).digest()

def merkle(leaves):  # RFC 6962, section 2.1
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0]).digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + merkle(leaves[:split]) + merkle(leaves[split:])).digest()

def check(db, noted):
    heads, fork_points = {}, "SELECT hash FROM event WHERE event_id = ? AND event_seq = ?"
    commits = db.execute("SELECT commit_id, at, first_event_id, last_event_id, root, prev_hash, hash"
                         " FROM ledger_commit ORDER BY commit_id")
    commit, leaves, last_commit, last_event, head = commits.fetchone(), [], 0, 0, bytes(32)
    for row in db.execute("SELECT event_id, thread_id, event_seq, event_type, turn_id, item_id, tool_use_id,"
                          " approval_id, trace_id, parent_id, idempotency_key, at, payload, salt, payload_digest,"
                          " prev_hash, hash FROM event ORDER BY event_id"):
        id, thread, seq, kind, *refs, at, payload, salt, digest, prev, hash = row
        def bad(why): return f"event {id} (thread {thread}, event_seq {seq}): {why}"
        if id != last_event + 1: return bad(f"event {last_event + 1} is missing before it")
        if (payload, salt) != (None, None) and (None in (payload, salt) or sha256(salt + payload.encode()).digest() != digest): return bad("the payload is not the one that was hashed")
        if "-" in refs or lines("threadkeep/event/v1", thread, seq, kind, *refs, at, digest.hex(), prev.hex()) != hash: return bad("its members are not the ones that were hashed")
        if thread not in heads:
            forked = kind == "thread.forked"
            source = json.loads(payload or "{}").get("source") if forked else None
            start = source and db.execute(fork_points, (source["eventId"], source["eventSeq"])).fetchone()
            heads[thread] = (source["eventSeq"], start[0]) if start else (seq - 1, prev) if forked and payload is None else (0, bytes(32))
        if heads[thread] != (seq - 1, prev): return bad("it does not follow the event before it")
        heads[thread], last_event = (seq, hash), id
        if commit is None or (not leaves and commit[2] != id): return bad("no commit covers it")
        leaves.append(hash)
        if id == commit[3]:
            number, at, first, last, root, prev, hash = commit
            if number != last_commit + 1 or prev != head or root != merkle(leaves) or hash != lines(
                    "threadkeep/commit/v1", number, at, first, last, root.hex(), prev.hex()):
                return f"commit {number}: it is not the one that was made"
            noted = None if noted == (number, hash) else noted
            commit, leaves, last_commit, head = commits.fetchone(), [], number, hash
    if commit is not None:
        return f"commit {commit[0]}: its events, up to event {commit[3]}, are missing"
    return f"commit {noted[0]}: the head noted earlier is not in this ledger" if noted else None

try:
    noted = sys.argv[2].split(":") if len(sys.argv) > 2 else None
    db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    broken = check(db, noted and (int(noted[0]), bytes.fromhex(noted[1])))
except (IndexError, ValueError, sqlite3.Error) as error:
    print(f"cannot be read: {error}", file=sys.stderr)
    sys.exit(2)
print(broken or "intact")
sys.exit(1 if broken else 0)
