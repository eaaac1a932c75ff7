//! Effects of unknown outcome, from the turn that left them to the person who looks.

use serde_json::{Value, json};

use super::{Desk, runs};

/// A desk where a command was killed for taking too long.
fn lost() -> (Desk, Value) {
    let desk = Desk::new();
    let model = desk.script(&runs("sleep 30", &json!({ "timeout_ms": 100 })));
    let outcome = desk.exec(&["--allow", "process.exec", "--model", &model, "go"]);
    assert_eq!(outcome["exitCode"], 6);
    (desk, outcome)
}

fn unknown(desk: &Desk) -> Vec<Value> {
    desk.says(&["effects", "--state", "unknown", "--json"])
        .lines()
}

#[test]
fn a_person_finds_out_and_says_so_once() {
    let (desk, outcome) = lost();
    let [effect] = <[_; 1]>::try_from(unknown(&desk)).unwrap();
    assert_eq!(
        (&effect["target"], &effect["turnId"]),
        (&json!("sleep 30"), &outcome["turnId"])
    );
    let id = effect["id"].as_str().unwrap();
    let listed = desk.says(&["effects"]);
    assert!(
        listed.out.contains(id) && listed.out.contains("sleep 30"),
        "{listed:?}"
    );

    let found = [
        "reconcile",
        id,
        "--outcome",
        "did-not-happen",
        "--note",
        "it slept",
        "--by",
        "ada",
    ];
    let said = desk.says(&found);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("is recorded as did_not_happen: sleep 30"),
        "{said:?}"
    );
    assert!(unknown(&desk).is_empty());
    let again = desk.says(&found);
    again.is_usage("did_not_happen");

    let thread = outcome["threadId"].as_str().unwrap();
    let shown = desk.says(&["show", thread]);
    assert!(shown.out.contains("ada found that effect"), "{shown:?}");
    assert_eq!(desk.asks("reconciled_effects")[0]["reconciled_by"], "ada");
    assert!(desk.says(&["verify"]).out.starts_with("intact"));
    // What was unknown when the turn ended was unknown then.
    assert_eq!(desk.asks("recent_turns")[0]["evidence_status"], "partial");
}

#[test]
fn a_job_that_repeats_its_finding_under_a_key_records_it_once() {
    let (desk, _) = lost();
    let effect = unknown(&desk)[0]["id"].clone();
    let found = [
        "reconcile",
        effect.as_str().unwrap(),
        "--outcome",
        "happened",
        "--note",
        "seen",
        "--by",
        "ci",
        "--idempotency-key",
        "found-1",
        "--json",
    ];
    let first = desk.says(&found);
    assert_eq!(first.code, Some(0), "{first:?}");
    let second = desk.says(&found);
    assert_eq!((second.code, second.lines()), (Some(0), first.lines()));
    let mut other = found;
    other[3] = "did-not-happen";
    desk.says(&other).is_usage("found-1");
    assert_eq!(desk.asks("reconciled_effects").len(), 1);
}

#[test]
fn evidence_is_shown_to_people_and_programs() {
    let (desk, outcome) = lost();
    let turn = outcome["turnId"].as_str().unwrap();
    let shown = desk.says(&["evidence", turn]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for words in [
        "completed, partial",
        "1 unknown",
        outcome["evidence"]["eventDigest"].as_str().unwrap(),
    ] {
        assert!(shown.out.contains(words), "{words}: {shown:?}");
    }
    let [object] = <[_; 1]>::try_from(desk.says(&["evidence", turn, "--json"]).lines()).unwrap();
    assert_eq!(object["eventDigest"], outcome["evidence"]["eventDigest"]);
}

#[test]
fn the_files_a_turn_wrote_are_in_its_evidence() {
    let desk = Desk::new();
    let write =
        json!({ "name": "write_file", "arguments": { "path": "made.txt", "content": "new\n" } });
    let model = desk
        .script(&json!([{ "steps": [{ "tool_call": write }] }, { "steps": [{ "text": "done" }] }]));
    let outcome = desk.exec(&["--allow", "fs.write", "--model", &model, "go"]);
    let turn = outcome["turnId"].as_str().unwrap();
    let [object] = <[_; 1]>::try_from(desk.says(&["evidence", turn, "--json"]).lines()).unwrap();
    let after = threadkeep::domain::Digest::of(b"new\n").to_string();
    let [write] = <[_; 1]>::try_from(object["fileWrites"].as_array().unwrap().clone()).unwrap();
    assert_eq!(
        (
            &write["path"],
            &write["before"],
            &write["after"],
            &write["state"]
        ),
        (
            &json!("made.txt"),
            &Value::Null,
            &json!(after),
            &json!("happened")
        )
    );
}

#[test]
fn what_is_typed_wrongly_is_said() {
    let (desk, _) = lost();
    let effect = unknown(&desk)[0]["id"].clone();
    let effect = effect.as_str().unwrap();
    for (typed, words) in [
        (
            vec!["reconcile", effect, "--outcome", "unknown", "--note", "x"],
            "unknown",
        ),
        (
            vec!["reconcile", effect, "--outcome", "happened", "--note", " "],
            "1 to 4096 characters",
        ),
        (
            vec![
                "reconcile",
                effect,
                "--outcome",
                "happened",
                "--note",
                "x",
                "--by",
                "",
            ],
            "1 to 256 characters",
        ),
        (vec!["reconcile", effect, "--outcome", "happened"], "--note"),
        (
            vec![
                "reconcile",
                "nobody",
                "--outcome",
                "happened",
                "--note",
                "x",
            ],
            "there is no effect nobody",
        ),
        (vec!["effects", "--state", "gone"], "\"gone\""),
        (
            vec!["effects", "--thread", "nobody"],
            "there is no thread nobody",
        ),
        (vec!["evidence", "nobody"], "there is no turn nobody"),
    ] {
        desk.says(&typed).is_usage(words);
    }
    assert_eq!(unknown(&desk).len(), 1);
}
