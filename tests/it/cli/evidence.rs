//! Evidence that is taken away, and the script that checks it without us.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use threadkeep::store::proof::{Key, VerifierKey, envelope};

use super::{Desk, Said, kill, runs, said, until};
use crate::verify::forge;

/// What the script says; `None` when Python or what it needs is not here.
#[allow(clippy::print_stderr)]
fn script(evidence: &str, key: &str) -> Option<Said> {
    let mut probe = Command::new("python3");
    let probed = probe.args(["-c", "import cryptography"]).output();
    if !probed.is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: there is no python3 with cryptography here");
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("queries/audit/verify_evidence.py");
    let mut python = Command::new("python3");
    Some(said(
        python.arg(script).args([evidence, key]).output().unwrap(),
    ))
}

/// A turn with a tool call, between others.
fn worked(desk: &Desk) -> String {
    desk.exec(&["list ."]);
    let model = desk.script(&runs("echo \"hello\"", &Value::Null));
    let outcome = desk.exec(&["--model", &model, "--allow", "process.exec", "say hello"]);
    desk.exec(&["read README.md"]);
    outcome["turnId"].as_str().unwrap().to_owned()
}

fn exported(desk: &Desk, turn: &str, more: &[&str]) -> String {
    let said = desk.says(&[&["evidence", "export", turn], more].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

fn opened(evidence: &str) -> Value {
    let envelope: Value = serde_json::from_str(evidence).unwrap();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap());
    serde_json::from_slice(&payload.unwrap()).unwrap()
}

fn own_key(desk: &Desk) -> Key {
    let path = Key::path_in(&desk.state());
    Key::read(&path, None).unwrap()
}

#[test]
fn evidence_of_a_turn_is_checked_without_the_ledger() {
    let desk = Desk::new();
    let turn = worked(&desk);
    let evidence = exported(&desk, &turn, &[]);
    let statement = opened(&evidence);
    let row = &desk.asks("evidence")[1];
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(
        statement["subject"],
        json!([{ "name": turn, "digest": { "sha256": row["event_digest"] } }])
    );
    let events = statement["predicate"]["events"].as_array().unwrap();
    assert!(events.iter().all(|event| event["turn_id"] == turn.as_str()));
    fs::write(desk.path("e.json"), &evidence).unwrap();
    let file = desk.path("e.json");
    let Some(said) = script(file.to_str().unwrap(), &desk.public_key()) else {
        return;
    };
    assert_eq!(said.code, Some(0), "{said:?}");
    let counted = format!(
        "good: turn {turn} succeeded, {} events (0 erased)",
        events.len()
    );
    assert!(said.out.starts_with(&counted), "{said:?}");
    // A checkpoint of a later state covers it too.
    desk.exec(&["list ."]);
    let later = desk.checkpoint("later.note");
    let evidence = exported(&desk, &turn, &["--checkpoint", &later]);
    fs::write(&file, &evidence).unwrap();
    let note = fs::read_to_string(later).unwrap();
    assert_eq!(opened(&evidence)["predicate"]["checkpoint"], note.as_str());
    let said = script(file.to_str().unwrap(), &desk.public_key()).unwrap();
    assert_eq!(said.code, Some(0), "{said:?}");
}

/// What somebody without the key does to an envelope is found by its signature alone.
#[test]
fn an_envelope_that_was_changed_is_refused() {
    let desk = Desk::new();
    let turn = worked(&desk);
    let evidence = exported(&desk, &turn, &[]);
    let key = desk.public_key();
    let file = desk.path("e.json");
    let refused = |text: &str, code: i32, why: &str| {
        fs::write(&file, text).unwrap();
        if let Some(said) = script(file.to_str().unwrap(), &key) {
            assert_eq!(said.code, Some(code), "{why}: {said:?}");
            assert!(format!("{said:?}").contains(why), "{why}: {said:?}");
        }
    };
    let mut statement = opened(&evidence);
    statement["predicate"]["events"][1]["at"] = json!(1);
    let mut changed: Value = serde_json::from_str(&evidence).unwrap();
    changed["payload"] = STANDARD.encode(statement.to_string()).into();
    refused(&changed.to_string(), 1, "not signed by that key");
    let by_other = envelope(opened(&evidence).to_string().as_bytes(), &other_key(&desk)).unwrap();
    refused(&by_other, 1, "not signed by that key");
    refused(
        &evidence.replace("in-toto+json", "in-toto+jsom"),
        1,
        "not signed by that key",
    );
    refused(&evidence[..evidence.len() / 2], 2, "cannot be read");
    refused("{}", 2, "cannot be read");
    refused("", 2, "cannot be read");
    let other: VerifierKey = other_key(&desk).verifier().clone();
    fs::write(&file, &evidence).unwrap();
    if let Some(said) = script(file.to_str().unwrap(), &other.to_string()) {
        assert_eq!(said.code, Some(1), "{said:?}");
    }
}

fn other_key(desk: &Desk) -> Key {
    let dir = desk.path("elsewhere");
    let _ = fs::create_dir(&dir);
    Key::of_state(&dir, None).unwrap().0
}

/// A checkpoint by the same key of another ledger with as many commits.
fn other_checkpoint(desk: &Desk, evidence: &str) -> String {
    let statement = opened(evidence);
    let note = statement["predicate"]["checkpoint"].as_str().unwrap();
    let mut lines = note.lines().take(2).collect::<Vec<_>>();
    let root = STANDARD.encode([7; 32]);
    lines.push(&root);
    let text = lines.join("\n") + "\n";
    own_key(desk).sign_note(text).to_string()
}

/// What somebody with the key does is found by what does not fit together.
#[test]
fn evidence_that_was_forged_and_signed_anew_is_refused() {
    type Forgery<'f> = (&'f str, Box<dyn Fn(&mut Value) + 'f>);
    let desk = Desk::new();
    let turn = worked(&desk);
    let evidence = exported(&desk, &turn, &[]);
    let elsewhere = other_checkpoint(&desk, &evidence);
    let unsigned = elsewhere.split_once("\n\n").unwrap().0.to_owned() + "\n\n\u{2014} x QUJDREVG\n";
    let put = |path: &'static str, value: Value| -> Box<dyn Fn(&mut Value)> {
        Box::new(move |statement| *statement.pointer_mut(path).unwrap() = value.clone())
    };
    let remove = |list: &'static str, at: fn(usize) -> usize| -> Box<dyn Fn(&mut Value)> {
        Box::new(move |statement| {
            let list = statement.pointer_mut(list).unwrap().as_array_mut().unwrap();
            list.remove(at(list.len()));
        })
    };
    let zeros = || json!("0".repeat(64));
    let forgeries: Vec<Forgery<'_>> = vec![
        (
            "the payload is not the one",
            put("/predicate/events/1/payload", json!("{}")),
        ),
        (
            "its members are not the ones",
            put("/predicate/events/1/at", json!(1)),
        ),
        (
            "its members are not the ones",
            put("/predicate/events/1/item_id", json!("other")),
        ),
        (
            "half of it is erased",
            put("/predicate/events/1/salt", Value::Null),
        ),
        ("does not follow", remove("/predicate/events", |_| 2)),
        (
            "the beginning of the turn is missing",
            remove("/predicate/events", |_| 0),
        ),
        (
            "the end of the turn is missing",
            remove("/predicate/events", |length| length - 1),
        ),
        (
            "it is about another turn",
            put("/subject/0/name", json!("other")),
        ),
        (
            "not that of the last event",
            put("/predicate/terminal_evidence/event_digest", zeros()),
        ),
        (
            "the outcome is another",
            put("/predicate/terminal_evidence/status", json!("failed")),
        ),
        (
            "it is not the one that was made",
            put("/predicate/commits/0/at", json!(1)),
        ),
        (
            "it is not in the checkpoint",
            put("/predicate/commits/0/proof/0", zeros()),
        ),
        ("is too short", put("/predicate/commits/0/proof", json!([]))),
        (
            "it is not in commit",
            put("/predicate/commits/0/events/0/proof/0", zeros()),
        ),
        ("are in no commit", remove("/predicate/commits", |_| 0)),
        (
            "it is not in the checkpoint",
            put("/predicate/checkpoint", json!(elsewhere)),
        ),
        (
            "the checkpoint is not signed by that key",
            put("/predicate/checkpoint", json!(unsigned)),
        ),
    ];
    for (why, forge) in forgeries {
        let mut statement = opened(&evidence);
        forge(&mut statement);
        let signed = envelope(statement.to_string().as_bytes(), &own_key(&desk)).unwrap();
        let file = desk.path("e.json");
        fs::write(&file, signed).unwrap();
        let Some(said) = script(file.to_str().unwrap(), &desk.public_key()) else {
            return;
        };
        assert_eq!(said.code, Some(1), "{why}: {said:?}");
        assert!(said.out.contains(why), "{why}: {said:?}");
    }
}

#[test]
fn what_was_erased_stays_erased_in_evidence_that_holds() {
    let desk = Desk::new();
    let turn = worked(&desk);
    let erase = include_str!("../verify/erase_turn.sql").replace("{turn}", &turn);
    forge(&desk.database(), &erase);
    let evidence = exported(&desk, &turn, &[]);
    let events = opened(&evidence)["predicate"]["events"].clone();
    let events = events.as_array().unwrap();
    assert!(
        events
            .iter()
            .all(|event| event["payload"].is_null() && event["salt"].is_null())
    );
    fs::write(desk.path("e.json"), &evidence).unwrap();
    if let Some(said) = script(desk.path("e.json").to_str().unwrap(), &desk.public_key()) {
        let counted = format!("{0} events ({0} erased)", events.len());
        assert!(
            said.code == Some(0) && said.out.contains(&counted),
            "{said:?}"
        );
    }
}

#[test]
fn evidence_that_cannot_be_had_is_refused_with_the_reason() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let early = desk.checkpoint("early.note");
    let turn = worked(&desk);
    let export =
        |turn: &str, more: &[&str]| desk.says(&[&["evidence", "export", turn], more].concat());
    export("absent", &[]).is_usage("there is no turn absent");
    export("no turn", &[]).is_usage("is no turn id");
    export(&turn, &["--checkpoint", &early]).is_usage("name a later checkpoint");
    export(&turn, &["--out", &early]).is_usage("exists already");
    fs::create_dir(desk.path("elsewhere")).unwrap();
    Key::of_state(&desk.path("elsewhere"), None).unwrap();
    let other = desk.path("elsewhere/checkpoint.key");
    let note = desk.checkpoint("late.note");
    let typed = ["--checkpoint", &note, "--key", other.to_str().unwrap()];
    export(&turn, &typed).is_usage("has no signature by");

    let long = include_str!("../verify/long_payload.sql").replace("{turn}", &turn);
    forge(&desk.database(), &long);
    export(&turn, &[]).is_usage("an export holds at most 50000 events and 33554432 bytes");
}

/// Nothing is signed that does not hold.
#[test]
fn a_forged_turn_has_no_evidence() {
    let desk = Desk::new();
    let turn = worked(&desk);
    forge(
        &desk.database(),
        &include_str!("../verify/edit_payload.sql").replace("'one', 'ten'", "'list', 'last'"),
    );
    // The forged turn is the first; the others stand.
    let first = desk.asks("recent_turns").pop().unwrap();
    let first = first["turn_id"].as_str().unwrap();
    let said = desk.says(&["evidence", "export", first]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(said.err.contains("nothing was signed"), "{said:?}");
    exported(&desk, &turn, &[]);
}

#[test]
fn an_event_of_the_thread_amid_a_turn_is_part_of_its_evidence() {
    let desk = Desk::new();
    let model = desk.script(&runs("sleep 30", &json!({ "timeout_ms": 100 })));
    let lost = desk.exec(&["--allow", "process.exec", "--model", &model, "go"]);
    let thread = lost["threadId"].as_str().unwrap();
    let hangs = desk.script(&json!([{ "steps": [{ "hang": true }] }]));
    let child = desk.spawn(&["exec", "--thread", thread, "--model", &hangs, "again"]);
    until(|| {
        desk.says(&["audit", "recent_turns", "--json"])
            .out
            .contains("running")
    });
    let effects = desk.says(&["effects", "--json"]).lines();
    let effect = effects[0]["id"].as_str().unwrap();
    let found = desk.says(&[
        "reconcile",
        effect,
        "--outcome",
        "happened",
        "--note",
        "seen",
    ]);
    assert_eq!(found.code, Some(0), "{found:?}");
    kill("INT", &child);
    assert_eq!(said(child.wait_with_output().unwrap()).code, Some(3));
    let turn = desk.asks("recent_turns")[0]["turn_id"].clone();
    let evidence = exported(&desk, turn.as_str().unwrap(), &[]);
    let file = desk.path("e.json");
    fs::write(&file, &evidence).unwrap();
    let events = opened(&evidence)["predicate"]["events"].clone();
    let amid = |event: &Value| event["event_type"] == "effect.reconciled";
    assert!(events.as_array().unwrap().iter().any(amid));
    if let Some(said) = script(file.to_str().unwrap(), &desk.public_key()) {
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}
