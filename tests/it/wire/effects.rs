//! Effects and evidence, as a host asks for them.

use serde_json::{Value, json};
use threadkeep::kernel::{AllowRule, Kernel};
use threadkeep::server::ServeOptions;

use super::host::Host;
use crate::kernel::stand::{Stand, call};

/// A host of which one turn ran, whose effect is of unknown outcome; its thread, turn and effect.
async fn lost() -> (Host, Value, Value) {
    let stand = Stand::new().await;
    let mut options = stand.options(&json!([
        { "steps": [call("lose", &json!({ "what": "x" }))] },
        { "steps": [{ "text": "done" }] },
    ]));
    options.permissions.allow = vec![AllowRule::Capability("process.exec".to_owned())];
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    let mut host = Host::on(stand, kernel, ServeOptions::default());
    host.introduce(json!({})).await;
    let thread = host.thread().await;
    let told = host.turn(&thread, "go").await;
    let ended = told.iter().find(|told| told["method"] == "turn/completed");
    let turn = ended.unwrap()["params"]["turn"]["id"].clone();
    (host, thread, turn)
}

#[tokio::test]
async fn an_unknown_effect_is_listed_and_reconciled_once() {
    let (mut host, thread, turn) = lost().await;
    let unknown = json!({ "state": "unknown", "threadId": thread, "turnId": turn });
    let listed = host.result("effect/list", unknown.clone()).await;
    let effect = &listed["effects"][0];
    assert_eq!(
        (&effect["turnId"], &effect["state"]),
        (&turn, &json!("unknown"))
    );
    assert_eq!(listed["effects"].as_array().unwrap().len(), 1);

    let found = json!({ "effectId": effect["id"], "outcome": "happened", "note": "I looked",
        "actor": "ada", "idempotencyKey": "found-1" });
    let settled = host.result("effect/reconcile", found.clone()).await["effect"].clone();
    assert_eq!(settled["state"], "happened");
    let reconciled = &settled["reconciled"];
    assert_eq!(
        (
            &reconciled["outcome"],
            &reconciled["actor"],
            &reconciled["note"]
        ),
        (&json!("happened"), &json!("ada"), &json!("I looked"))
    );
    assert_eq!(
        host.result("effect/list", unknown).await["effects"],
        json!([])
    );

    // The response got lost: the same again, and then something else.
    assert_eq!(
        host.result("effect/reconcile", found.clone()).await["effect"],
        settled
    );
    let mut other = found.clone();
    other["outcome"] = json!("did_not_happen");
    assert_eq!(host.code("effect/reconcile", other.clone()).await, -32009);
    other.as_object_mut().unwrap().remove("idempotencyKey");
    assert_eq!(host.code("effect/reconcile", other).await, -32009);
    let again = host.result("effect/list", json!({})).await;
    assert_eq!(again["effects"][0], settled);
    let events = host
        .result("thread/read", json!({ "threadId": thread }))
        .await;
    let count = |name: &str| {
        let events = events["events"].as_array().unwrap();
        events
            .iter()
            .filter(|event| event["event_type"] == name)
            .count()
    };
    assert_eq!(count("effect.reconciled"), 1);
}

#[tokio::test]
async fn evidence_says_what_the_ledger_knows_of_a_turn() {
    let (mut host, thread, turn) = lost().await;
    let ask = json!({ "threadId": thread, "turnId": turn });
    let evidence = host.result("evidence/get", ask.clone()).await["evidence"].clone();
    assert_eq!(evidence["status"], "partial");
    assert_eq!(
        evidence["effects"],
        json!({ "happened": 0, "did_not_happen": 0, "unknown": 1 })
    );
    // The scripted model says nothing of its cost: unknown, not zero.
    assert_eq!(
        evidence["usage"],
        json!({ "inputTokens": null, "outputTokens": null })
    );
    let events = host
        .result("thread/read", json!({ "threadId": thread }))
        .await["events"]
        .clone();
    let at = |place: &Value| {
        let events = events.as_array().unwrap();
        events
            .iter()
            .find(|event| event["event_seq"] == *place)
            .unwrap()
    };
    let (first, last) = (
        at(&evidence["firstEventSeq"]),
        at(&evidence["lastEventSeq"]),
    );
    assert_eq!(
        (&first["event_type"], &first["prev_hash"]),
        (&json!("turn.started"), &evidence["prevHash"])
    );
    assert_eq!(
        (&last["event_type"], &last["hash"]),
        (&json!("turn.completed"), &evidence["eventDigest"])
    );

    let effect = host.result("effect/list", json!({})).await["effects"][0]["id"].clone();
    let found = json!({ "effectId": effect, "outcome": "did_not_happen", "note": "nothing there" });
    host.result("effect/reconcile", found).await;
    let after = host.result("evidence/get", ask).await["evidence"].clone();
    assert_eq!(
        after["effects"],
        json!({ "happened": 0, "did_not_happen": 1, "unknown": 0 })
    );
    assert_eq!(after["status"], "partial");
}

#[tokio::test]
async fn what_does_not_fit_is_refused_by_name() {
    let (mut host, thread, turn) = lost().await;
    let effect = host.result("effect/list", json!({})).await["effects"][0]["id"].clone();
    let good = json!({ "effectId": effect, "outcome": "happened", "note": "I looked" });
    let with = |member: &str, value: Value| {
        let mut changed = good.clone();
        changed[member] = value;
        changed
    };
    for (method, params, code) in [
        (
            "effect/reconcile",
            with("outcome", json!("unknown")),
            -32602,
        ),
        (
            "effect/reconcile",
            with("outcome", json!("intended")),
            -32602,
        ),
        ("effect/reconcile", with("note", json!("  ")), -32602),
        (
            "effect/reconcile",
            with("note", json!("x".repeat(4_097))),
            -32602,
        ),
        ("effect/reconcile", with("actor", json!("")), -32602),
        (
            "effect/reconcile",
            with("actor", json!("x".repeat(257))),
            -32602,
        ),
        ("effect/reconcile", with("more", json!(1)), -32602),
        (
            "effect/reconcile",
            with("effectId", json!("nobody")),
            -32004,
        ),
        ("effect/list", json!({ "state": "gone" }), -32602),
        ("effect/list", json!({ "limit": 0 }), -32602),
        ("effect/list", json!({ "limit": 1_001 }), -32602),
        ("evidence/get", json!({ "threadId": thread }), -32602),
        (
            "evidence/get",
            json!({ "threadId": thread, "turnId": "nobody" }),
            -32004,
        ),
        (
            "evidence/get",
            json!({ "threadId": "nobody", "turnId": turn }),
            -32004,
        ),
    ] {
        assert_eq!(
            host.code(method, params.clone()).await,
            code,
            "{method} {params}"
        );
    }
    let listed = host
        .result("effect/list", json!({ "state": "unknown" }))
        .await;
    assert_eq!(listed["effects"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_turn_that_runs_has_no_evidence_yet() {
    let mut host = Host::new(&json!([{ "steps": [{ "hang": true }] }])).await;
    let thread = host.thread().await;
    let turn = host
        .result("turn/start", json!({ "threadId": thread, "input": "go" }))
        .await;
    let ask = json!({ "threadId": thread, "turnId": turn["turn"]["id"] });
    assert_eq!(host.code("evidence/get", ask.clone()).await, -32009);
    host.result("turn/interrupt", ask.clone()).await;
    let evidence = host.result("evidence/get", ask).await;
    assert_eq!(evidence["evidence"]["status"], "cancelled");
}
