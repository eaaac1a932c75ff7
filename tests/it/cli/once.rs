//! A request under a key happens once, whatever becomes of its answer.

use serde_json::{Value, json};

use super::{Desk, kill, runs, said, until};

/// A job under a key, whose model may run programs.
fn job(model: &str) -> [&str; 7] {
    [
        "--model",
        model,
        "--allow",
        "process.exec",
        "--idempotency-key",
        "ci/job-7",
        "go",
    ]
}

fn acted_once(desk: &Desk) {
    let acts = std::fs::read_to_string(desk.path("acts")).unwrap();
    assert_eq!(acts, "once\n");
}

#[test]
fn the_same_key_gives_the_same_turn_answer_and_exit_code() {
    let desk = Desk::new();
    let model = desk.script(&runs("echo once >> ../acts", &Value::Null));
    let typed = job(&model);
    let mut first = desk.exec(&typed);
    let mut again = desk.exec(&typed);
    assert_eq!(
        (first["repeated"].take(), again["repeated"].take()),
        (json!(false), json!(true))
    );
    assert_eq!(first, again);
    acted_once(&desk);

    let text = desk.says(&[&["exec"], typed.as_slice()].concat());
    assert_eq!(
        (text.code, text.out.as_str()),
        (Some(0), "done\n"),
        "{text:?}"
    );
    let turns = desk.asks("recent_turns");
    assert_eq!(turns.len(), 1, "{turns:?}");
}

#[test]
fn what_failed_or_was_refused_under_a_key_is_not_tried_again_either() {
    let desk = Desk::new();
    let model = desk.script(&runs("true", &Value::Null));
    for _ in 0..2 {
        let outcome = desk.exec(&["--model", &model, "--idempotency-key", "k", "go"]);
        assert_eq!(outcome["exitCode"], 5, "{outcome}");
    }
    assert_eq!(desk.asks("recent_turns").len(), 1);
}

#[test]
fn a_key_that_asked_for_something_else_is_refused() {
    let desk = Desk::new();
    let thread = desk.exec(&["--idempotency-key", "k", "list ."])["threadId"].clone();
    let thread = thread.as_str().unwrap();
    desk.says(&["exec", "--idempotency-key", "k", "list src"])
        .is_usage("other parameters");
    desk.says(&[
        "exec",
        "--idempotency-key",
        "k",
        "--thread",
        thread,
        "list .",
    ])
    .is_usage("other parameters");
    assert_eq!(desk.asks("recent_turns").len(), 1);
}

/// Two jobs with one key: one does it, the other waits and tells the same.
#[test]
fn twins_do_it_once_and_tell_the_same() {
    let desk = Desk::new();
    let model = desk.script(&runs("echo once >> ../acts; sleep 0.3", &Value::Null));
    let typed = [&["exec", "--output", "json"], job(&model).as_slice()].concat();
    let twins: Vec<_> = (0..4).map(|_| desk.spawn(&typed)).collect();
    let mut outcomes: Vec<Value> = twins
        .into_iter()
        .map(|twin| {
            let said = said(twin.wait_with_output().unwrap());
            assert_eq!(said.code, Some(0), "{said:?}");
            serde_json::from_str(&said.out).unwrap()
        })
        .collect();
    let new = outcomes
        .iter_mut()
        .map(|outcome| outcome["repeated"].take());
    assert_eq!(new.filter(|repeated| *repeated == false).count(), 1);
    assert!(
        outcomes.iter().all(|outcome| *outcome == outcomes[0]),
        "{outcomes:#?}"
    );
    acted_once(&desk);
}

/// The job was killed: the next one with its key does not do it again, and says what is not known.
#[test]
fn what_a_killed_job_began_is_told_not_repeated() {
    let desk = Desk::new();
    let model = desk.script(&runs("echo once >> ../acts; sleep 5", &Value::Null));
    let typed = job(&model);
    let mut child = desk.spawn(&[&["exec"], typed.as_slice()].concat());
    until(|| desk.path("acts").exists());
    kill("KILL", &child);
    child.wait().unwrap();
    for _ in 0..2 {
        let outcome = desk.exec(&typed);
        assert_eq!(
            (&outcome["exitCode"], &outcome["status"]),
            (&json!(3), &json!("interrupted")),
            "{outcome}"
        );
        assert_eq!(
            (&outcome["evidence"]["status"], &outcome["unknownEffects"]),
            (&json!("partial"), &json!(1))
        );
        assert_eq!(outcome["repeated"], true);
    }
    acted_once(&desk);
}

/// A job whose process was killed in the middle is gone on with, once, under a key of its own.
#[test]
fn a_killed_job_is_gone_on_with() {
    let desk = Desk::new();
    let hangs = json!([{ "steps": [{ "text": "It i" }, { "hang": true }] }]);
    let script = desk.path("script.json");
    let model = format!("rehearsal/{}", script.display());
    std::fs::write(&script, json!({ "replies": hangs }).to_string()).unwrap();
    let mut child = desk.spawn(&["exec", "--model", &model, "go"]);
    until(|| {
        desk.says(&["audit", "recent_turns", "--json"])
            .out
            .contains("running")
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let answers = json!({ "replies": [{ "steps": [{ "text": "It is done." }] }] });
    std::fs::write(&script, answers.to_string()).unwrap();
    let thread = desk.says(&["threads", "--json"]).lines()[0]["id"].clone();
    let typed = [
        "--continue",
        thread.as_str().unwrap(),
        "--idempotency-key",
        "on-1",
    ];
    for repeated in [false, true] {
        let outcome = desk.exec(&typed);
        let told = (&outcome["exitCode"], &outcome["text"], &outcome["repeated"]);
        assert_eq!(told, (&json!(0), &json!("It is done."), &json!(repeated)));
    }
    let turns = desk.asks("recent_turns");
    let ends: Vec<_> = turns.iter().map(|turn| &turn["status"]).collect();
    assert_eq!(ends, ["completed", "interrupted"]);
    desk.says(&["exec", "--continue", thread.as_str().unwrap()])
        .is_usage("no interrupted turn");
    desk.says(&["exec", "--continue", "nobody"])
        .is_usage("there is no thread nobody");
    desk.says(&["exec", "--continue", thread.as_str().unwrap(), "go"])
        .is_usage("cannot be used with");
    desk.says(&["exec"]).is_usage("PROMPT");
}

/// The runner was lost with the response; the next one has the state directory back.
#[test]
fn a_job_retried_on_another_machine_gets_its_turn_and_evidence_back() {
    let desk = Desk::new();
    let model = desk.script(&runs("echo once >> ../acts", &Value::Null));
    let typed = job(&model);
    let mut lost = desk.spawn(&[&["exec", "--output", "json"], typed.as_slice()].concat());
    drop(lost.stdout.take());
    lost.wait().unwrap();
    let there = desk.asks("evidence")[0].clone();

    let elsewhere = desk.moved();
    let mut outcome = elsewhere.exec(&typed);
    assert_eq!(outcome["repeated"].take(), true);
    assert_eq!(
        (&outcome["exitCode"], &outcome["turnId"], &outcome["text"]),
        (&json!(0), &there["turn_id"], &json!("done"))
    );
    assert_eq!(elsewhere.asks("evidence")[0], there);
    assert!(!elsewhere.path("acts").exists());
    acted_once(&desk);
    assert!(elsewhere.says(&["verify"]).out.starts_with("intact"));
}

#[test]
fn a_job_killed_in_the_middle_is_settled_and_gone_on_with_on_another_machine() {
    let desk = Desk::new();
    let model = desk.script(&runs("echo once >> ../acts; sleep 5", &Value::Null));
    let typed = job(&model);
    let mut child = desk.spawn(&[&["exec"], typed.as_slice()].concat());
    until(|| desk.path("acts").exists());
    kill("KILL", &child);
    child.wait().unwrap();

    let elsewhere = desk.moved();
    let outcome = elsewhere.exec(&typed);
    assert_eq!(
        (
            &outcome["exitCode"],
            &outcome["unknownEffects"],
            &outcome["repeated"]
        ),
        (&json!(3), &json!(1), &json!(true))
    );
    let thread = outcome["threadId"].as_str().unwrap();
    let goes_on = ["--continue", thread, "--idempotency-key", "ci/job-7/on"];
    let mut ends: Vec<_> = (0..2).map(|_| elsewhere.exec(&goes_on)).collect();
    let repeated: Vec<_> = ends.iter_mut().map(|end| end["repeated"].take()).collect();
    assert_eq!(repeated, [json!(false), json!(true)]);
    assert_eq!(ends[0], ends[1]);
    assert_eq!(
        (&ends[0]["exitCode"], &ends[0]["text"]),
        (&json!(0), &json!("done"))
    );
    assert!(!elsewhere.path("acts").exists());
}
