//! A killed service, and a turn that goes on where it was.

use serde_json::{Value, json};

use super::cases::{Place, thread, turn};
use super::host::Host;

fn shell(command: &str) -> Value {
    json!({ "tool_call": { "name": "shell", "arguments": { "command": command } } })
}

/// Goes on with the last turn of a thread and returns the turn that does.
fn go_on(host: &mut Host, thread: &str) -> Value {
    let ask = json!({ "threadId": thread, "continueTurn": true });
    host.result("thread/resume", &ask)["turn"].clone()
}

fn requests(place: &Place) -> Vec<String> {
    let recorded = std::fs::read_to_string(place.path("requests.jsonl")).unwrap();
    recorded.lines().map(ToOwned::to_owned).collect()
}

fn count(events: &[Value], event_type: &str) -> usize {
    let of_type = |event: &&Value| event["event_type"] == event_type;
    events.iter().filter(of_type).count()
}

#[test]
fn the_model_is_asked_to_the_byte_what_it_was_asked_when_the_service_was_killed() {
    let calls = json!({ "steps": [{ "text": "Let me look." }, shell("echo x >> ../ran"), shell("echo y >> ../ran")] });
    let place = Place::new(&json!([calls, { "steps": [{ "text": "It i" }, { "hang": true }] }]));
    let mut host = place.start();
    let thread = thread(&mut host);
    let first = host.result("turn/start", &turn(&thread, "look"))["turn"]["id"].clone();
    while host.until("item/delta")["delta"]["text"] != "It i" {}
    host.kill();
    place.plays(&json!([calls, { "steps": [{ "text": "It is done." }] }, { "steps": [{ "text": "again" }] }]));
    let mut heir = place.start();
    let second = go_on(&mut heir, &thread);
    assert_ne!(second["id"], first);
    assert_eq!(heir.until("turn/completed")["error"], Value::Null);
    let asked = requests(&place);
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[2], asked[1]);
    assert_eq!(
        std::fs::read_to_string(place.path("ran")).unwrap(),
        "x\ny\n"
    );
    // What was cut short is in the ledger, and told to no model again.
    heir.result("turn/start", &turn(&thread, "and now?"));
    heir.until("turn/completed");
    let last = requests(&place).pop().unwrap();
    assert!(
        last.contains("It is done.") && !last.contains("It i\"") && !last.contains("interrupted"),
        "{last}"
    );
    let events = heir.events(&thread);
    let cut = |event: &Value| event["payload"]["content"]["text"] == "It i";
    assert!(events.iter().any(cut));
    let started = |event: &&Value| event["event_type"] == "turn.started";
    assert_eq!(
        events.iter().filter(started).nth(1).unwrap()["payload"]["continues"],
        first
    );
    heir.stop();
}

#[test]
fn a_call_that_may_have_acted_is_not_made_again_and_one_that_had_not_begun_is() {
    let calls =
        json!({ "steps": [shell("echo x >> ../ran; sleep 30"), shell("echo y >> ../ran")] });
    let place = Place::new(&json!([calls, { "steps": [{ "text": "I see" }] }]));
    let mut host = place.start();
    let thread = thread(&mut host);
    host.result("turn/start", &turn(&thread, "go"));
    place.until("ran");
    host.kill();
    let mut heir = place.start();
    go_on(&mut heir, &thread);
    assert_eq!(heir.until("turn/completed")["error"], Value::Null);
    assert_eq!(
        std::fs::read_to_string(place.path("ran")).unwrap(),
        "x\ny\n"
    );
    let asked: Value = serde_json::from_str(&requests(&place).pop().unwrap()).unwrap();
    let messages = asked["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3, "{messages:#?}");
    let told = messages[2].to_string();
    let (unknown, ran) = (
        told.find("outcome unknown"),
        told.find("\"is_error\":false"),
    );
    assert!(unknown.is_some() && unknown < ran, "{told}");
    assert_eq!(count(&heir.events(&thread), "effect.intended"), 2);
    heir.stop();
}

#[test]
fn a_question_that_was_open_is_asked_again_and_the_old_one_decides_nothing() {
    let calls = json!({ "steps": [shell("echo x >> ../ran")] });
    let place = Place::new(&json!([calls, { "steps": [{ "text": "done" }] }]));
    let mut host = place.asked();
    let thread = thread(&mut host);
    host.result("turn/start", &turn(&thread, "go"));
    let before = host.question();
    host.kill();
    let mut heir = place.asked();
    go_on(&mut heir, &thread);
    let again = heir.question();
    let of =
        |question: &Value, member: &str| question["params"]["request"]["binding"][member].clone();
    assert_ne!(of(&again, "nonce"), of(&before, "nonce"));
    assert_ne!(
        again["params"]["request"]["id"],
        before["params"]["request"]["id"]
    );
    assert_eq!(
        of(&again, "operationDigest"),
        of(&before, "operationDigest")
    );
    // An answer to the old question is an answer to nothing.
    heir.answer(&before["id"], &json!({ "kind": "acceptOnce" }));
    assert_eq!(count(&heir.events(&thread), "approval.resolved"), 1);
    assert!(!place.path("ran").exists());
    heir.answer(&again["id"], &json!({ "kind": "acceptOnce" }));
    assert_eq!(heir.until("turn/completed")["error"], Value::Null);
    assert_eq!(std::fs::read_to_string(place.path("ran")).unwrap(), "x\n");
    heir.stop();
}

#[test]
fn a_continuation_that_is_killed_too_is_gone_on_with() {
    let calls = json!({ "steps": [shell("echo x >> ../ran")] });
    let hangs = json!([calls, { "steps": [{ "text": "It i" }, { "hang": true }] }]);
    let place = Place::new(&hangs);
    let mut host = place.start();
    let thread = thread(&mut host);
    host.result("turn/start", &turn(&thread, "go"));
    for _ in 0..3 {
        while host.until("item/delta")["delta"]["text"] != "It i" {}
        host.kill();
        host = place.start();
        go_on(&mut host, &thread);
    }
    while host.until("item/delta")["delta"]["text"] != "It i" {}
    let asked = requests(&place);
    assert_eq!(asked.len(), 5);
    assert!(
        asked[2..].iter().all(|request| *request == asked[1]),
        "{asked:#?}"
    );
    assert_eq!(std::fs::read_to_string(place.path("ran")).unwrap(), "x\n");
    host.kill();
}

#[test]
fn going_on_happens_once_a_key_and_only_after_an_interruption() {
    let place = Place::new(&json!([{ "steps": [{ "hang": true }] }]));
    let mut host = place.start();
    let thread = thread(&mut host);
    let ask = json!({ "threadId": thread, "continueTurn": true, "idempotencyKey": "on-1" });
    assert_eq!(host.ask("thread/resume", &ask)["error"]["code"], -32009);
    host.result("turn/start", &turn(&thread, "go"));
    assert_eq!(host.ask("thread/resume", &ask)["error"]["code"], -32009);
    host.kill();
    place.plays(&json!([{ "steps": [{ "text": "done" }] }]));
    let mut heir = place.start();
    let first = heir.result("thread/resume", &ask)["turn"]["id"].clone();
    heir.until("turn/completed");
    let again = heir.result("thread/resume", &ask)["turn"].clone();
    assert_eq!(
        (&again["id"], &again["status"]),
        (&first, &json!("completed"))
    );
    let without = json!({ "threadId": thread, "continueTurn": true });
    assert_eq!(heir.ask("thread/resume", &without)["error"]["code"], -32009);
    for wrong in [
        json!({ "threadId": thread, "idempotencyKey": "on-2" }),
        json!({ "threadId": thread, "continueTurn": false, "turnId": "t" }),
        json!({ "threadId": thread, "continueTurn": "yes" }),
    ] {
        assert_eq!(
            heir.ask("thread/resume", &wrong)["error"]["code"],
            -32602,
            "{wrong}"
        );
    }
    assert_eq!(count(&heir.events(&thread), "turn.started"), 2);
    heir.stop();
}
