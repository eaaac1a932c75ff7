#!/usr/bin/env python3
"""Verifies evidence of one turn, as `threadkeep evidence export` writes it, without the ledger.

usage: verify_evidence.py EVIDENCE.json NAME+ID+KEY    the second is what `threadkeep checkpoint --public` printed
exit:  0 it is what was signed and fits together, 1 it does not (the reason is said), 2 cannot be read
needs: the package `cryptography`, for Ed25519; the format is in docs/PROOFS.md
"""
import json, sys
from base64 import b64decode
from hashlib import sha256

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    print("cannot be read: the package cryptography is missing", file=sys.stderr)
    sys.exit(2)

STATEMENT, PREDICATE = "https://in-toto.io/Statement/v1", "https://threadkeep.invalid/turn-evidence/v1"
REFERENCES = ["turn_id", "item_id", "tool_use_id", "approval_id", "trace_id", "parent_id", "idempotency_key"]

class Bad(Exception):
    pass

def demand(holds, why):
    if not holds:
        raise Bad(why)

def base64(text):
    return b64decode(text, validate=True)

def members(pairs):  # a member that is there twice could be read in two ways
    demand(len(dict(pairs)) == len(pairs), "a member of the JSON is there twice")
    return dict(pairs)

class Key:
    def __init__(self, text):
        name, id, key = text.strip().split("+", 2)
        kind, public = base64(key)[:1], base64(key)[1:]
        self.name, self.id, self.public = name, bytes.fromhex(id), Ed25519PublicKey.from_public_bytes(public)
        if kind != b"\1" or sha256(name.encode() + b"\n" + kind + public).digest()[:4] != self.id:
            raise ValueError("this is no verifier key: its id is not that of its name and key")

    def signed(self, signature, text):
        try:
            return self.public.verify(signature, text) is None
        except InvalidSignature:
            return False

def lines(*values):
    return sha256("".join(f"{'-' if value is None else value}\n" for value in values).encode()).hexdigest()

def root(leaf, index, size, proof):  # RFC 6962, section 2.1.1, checked as RFC 9162 says in 2.1.3.2
    demand(0 <= index < size, "a proof is of no leaf of its tree")
    hash, last = sha256(b"\0" + bytes.fromhex(leaf)).digest(), size - 1
    for beside in map(bytes.fromhex, proof):
        demand(last > 0, "a proof is too long")
        if index & 1 or index == last:
            hash = sha256(b"\1" + beside + hash).digest()
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            hash = sha256(b"\1" + hash + beside).digest()
        index, last = index >> 1, last >> 1
    demand(last == 0, "a proof is too short")
    return hash

def opened(envelope, key):  # DSSE 1.0
    body, kind = base64(envelope["payload"]), envelope["payloadType"].encode()
    encoded = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body)
    good = any(key.signed(base64(signature["sig"]), encoded) for signature in envelope["signatures"])
    demand(good, "the evidence is not signed by that key, or was changed")
    demand(kind == b"application/vnd.in-toto+json", "the envelope holds something else")
    return json.loads(body, object_pairs_hook=members)

def checkpoint(note, key):  # c2sp.org/signed-note and c2sp.org/tlog-checkpoint
    end = note.rindex("\n\n")
    text, signatures = note[:end + 1], note[end + 2:].removesuffix("\n").split("\n")
    parts = [line.removeprefix("\u2014 ").split(" ") for line in signatures]
    by_key = [base64(blob)[4:] for name, blob in parts if name == key.name and base64(blob)[:4] == key.id]
    good = [key.signed(signature, text.encode()) for signature in by_key]
    demand(good and all(good), "the checkpoint is not signed by that key")
    origin, size, root = text.split("\n")[:3]
    demand(origin == key.name, f"the checkpoint is of {origin}, not of {key.name}")
    return int(size), base64(root)

def check(statement, key):
    demand((statement["_type"], statement["predicateType"]) == (STATEMENT, PREDICATE), "it states something else")
    said = statement["predicate"]
    evidence, events = said["terminal_evidence"], said["events"]
    turn, thread, before = evidence["turn_id"], evidence["thread_id"], None
    demand(events, "there are no events")
    for event in events:
        bad, payload = f"event {event['event_id']}: ", event["payload"]
        demand((payload is None) == (event["salt"] is None), bad + "half of it is erased")
        demand(payload is None or sha256(bytes.fromhex(event["salt"]) + payload.encode()).hexdigest() == event["payload_digest"], bad + "the payload is not the one that was hashed")
        references = [event[name] for name in REFERENCES]
        demand("-" not in references and event["hash"] == lines("threadkeep/event/v1", event["thread_id"], event["event_seq"], event["event_type"], *references, event["at"], event["payload_digest"], event["prev_hash"]), bad + "its members are not the ones that were hashed")
        demand(event["thread_id"] == thread and event["turn_id"] in (turn, None), bad + "it is of another turn")
        demand(before is None or (event["event_seq"], event["prev_hash"]) == (before["event_seq"] + 1, before["hash"]), bad + "it does not follow the event before it")
        before = event
    first, last = events[0], events[-1]
    demand(first["event_type"] == "turn.started", "the beginning of the turn is missing")
    demand(last["event_type"] in ("turn.completed", "turn.failed", "turn.interrupted"), "the end of the turn is missing")
    demand(statement["subject"] == [{"name": turn, "digest": {"sha256": last["hash"]}}], "it is about another turn")
    found = [evidence[name] for name in ("event_digest", "event_hash", "event_id", "first_event_seq", "last_event_seq")]
    demand(found == [last["hash"], last["hash"], last["event_id"], first["event_seq"], last["event_seq"]], "the terminal evidence is not that of the last event")
    demand(last["payload"] is None or json.loads(last["payload"])["evidence"]["status"] == evidence["status"], "the outcome is another")
    size, tree = checkpoint(said["checkpoint"], key)
    waiting = {event["event_id"]: event["hash"] for event in events}
    for commit in said["commits"]:
        number, begin, end = commit["commit_id"], commit["first_event_id"], commit["last_event_id"]
        demand(commit["hash"] == lines("threadkeep/commit/v1", number, commit["at"], begin, end, commit["root"], commit["prev_hash"]), f"commit {number}: it is not the one that was made")
        demand(root(commit["hash"], number - 1, size, commit["proof"]) == tree, f"commit {number}: it is not in the checkpoint")
        for proven in commit["events"]:
            id = proven["event_id"]
            demand(id in waiting and root(waiting.pop(id), id - begin, end - begin + 1, proven["proof"]).hex() == commit["root"], f"event {id}: it is not in commit {number}")
    demand(not waiting, f"events {sorted(waiting)} are in no commit")
    erased = sum(event["payload"] is None for event in events)
    return f"good: turn {turn} {evidence['status']}, {len(events)} events ({erased} erased), {len(said['commits'])} commits of {size} in the checkpoint of {key.name}"

try:
    key = Key(sys.argv[2])
    with open(sys.argv[1], encoding="utf-8") as file:
        envelope = json.load(file, object_pairs_hook=members)
    print(check(opened(envelope, key), key))
except Bad as why:
    print(f"bad: {why}")
    sys.exit(1)
except (IndexError, KeyError, TypeError, ValueError, AttributeError, RecursionError, OSError) as error:
    print(f"cannot be read: {error!r}", file=sys.stderr)
    sys.exit(2)
