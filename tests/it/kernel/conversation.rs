use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use threadkeep::domain::{EffectState, FoundOutcome, TurnStatus};
use threadkeep::kernel::{AllowRule, Continuation, Kernel, Started};
use threadkeep::store::{EffectFilter, Reconcile};

use super::stand::{Always, NeverDecides, Stand, call};

/// Two answers with calls and no text, arguments that are no JSON, a declined act.
fn replies() -> Value {
    json!([
        { "steps": [call("look", &json!({ "what": "1" })), call("look", &json!({ "what": "2" }))] },
        { "steps": [call("look", &json!({ "what": "3" }))] },
        { "steps": [{ "text": "so " }, call("look", &json!("{\"what\": ")), call("act", &json!({ "what": "x" }))] },
        { "steps": [{ "text": "done" }] },
        { "steps": [{ "text": "again" }] },
    ])
}

#[tokio::test]
async fn the_conversation_is_told_the_same_from_memory_and_from_the_ledger() {
    let decline = || Always::new(json!({ "kind": "decline", "reason": "no" }));
    let mut asked = Vec::new();
    for restart in [false, true] {
        let stand = Stand::new().await;
        let mut kernel = stand.kernel(&replies());
        assert_eq!(
            stand.turn_with(&kernel, "one", decline()).await.status,
            TurnStatus::Completed
        );
        if restart {
            let options = stand.options(&replies());
            kernel = Kernel::new(stand.store.clone(), options).unwrap();
        }
        assert_eq!(stand.turn_with(&kernel, "two", decline()).await.error, None);
        asked.push(stand.requests().last().unwrap()["messages"].to_string());
    }
    assert_eq!(asked[0], asked[1]);
    assert!(asked[0].contains("not approved: it was declined: no"));
}

#[tokio::test]
async fn a_call_that_does_not_fit_is_answered_with_what_is_wrong_and_does_not_run() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([
        { "steps": [call("look", &json!("{\"what\": ")), call("nothing", &json!({}))] },
        { "expect": { "results": [{ "is_error": true }, { "is_error": true, "contains": "nothing" }] },
          "steps": [{ "text": "I see" }] },
    ]));
    let turn = stand.turn(&kernel, "go").await;
    assert_eq!((turn.status, turn.error), (TurnStatus::Completed, None));
    assert_eq!(stand.acts.done.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_turn_lost_with_its_process_is_told_with_one_result_for_every_call() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([
        { "when": "first", "steps": [call("wait", &json!({})), call("wait", &json!({}))] },
        { "when": "second", "expect": { "mentions": ["was interrupted"], "results": [] }, "steps": [{ "text": "back" }] },
    ]));
    super::stand::start(&kernel, stand.input("first"), Always::new(json!({}))).await;
    stand.until("tool.requested").await;
    // Another store on the same directory that believes this one dead: its lock file is gone.
    for lock in std::fs::read_dir(stand.dir.path().join("state/owners")).unwrap() {
        std::fs::remove_file(lock.unwrap().path()).unwrap();
    }
    let heir = super::stand::open(&stand.dir).await;
    let kernel = Kernel::new(heir.clone(), stand.options(&json!([
        { "when": "first", "steps": [] },
        { "when": "second", "expect": { "roles": ["user", "assistant", "results", "user"], "mentions": ["was interrupted"] },
          "steps": [{ "text": "back" }] },
    ]))).unwrap();
    let turn = super::stand::start(&kernel, stand.input("second"), Always::new(json!({}))).await;
    kernel.ended(&turn).await;
    let turn = heir.turn(&stand.thread, &turn).await.unwrap();
    assert_eq!((turn.status, turn.error), (TurnStatus::Completed, None));
}

#[tokio::test]
async fn the_model_is_told_what_was_found_out_of_an_effect() {
    let stand = Stand::new().await;
    let mut options = stand.options(&json!([
        { "when": "first", "steps": [call("lose", &json!({ "what": "x" }))] },
        { "when": "first", "steps": [{ "text": "done" }] },
        { "when": "second", "expect": { "mentions": ["nothing of it happened (I looked)"] },
          "steps": [{ "text": "I see" }] },
    ]));
    options.permissions.allow = vec![AllowRule::Capability("process.exec".to_owned())];
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    stand.turn(&kernel, "first").await;
    let all = EffectFilter {
        limit: 10,
        ..EffectFilter::default()
    };
    let effects = stand.store.effects(&all).await.unwrap();
    let [effect] = <[_; 1]>::try_from(effects).unwrap();
    assert_eq!(effect.state, EffectState::Unknown);
    let found = Reconcile {
        effect: effect.id,
        outcome: FoundOutcome::DidNotHappen,
        actor: "ada".to_owned(),
        note: "I looked".to_owned(),
        claim: None,
    };
    stand.store.reconcile(found).await.unwrap();
    let second = stand.turn(&kernel, "second").await;
    assert_eq!((second.status, second.error), (TurnStatus::Completed, None));
}

#[tokio::test]
async fn a_turn_that_was_gone_on_with_is_told_the_same_from_memory_and_from_the_ledger() {
    let replies = json!([
        { "steps": [{ "text": "so " }, call("look", &json!({ "what": "1" })), call("act", &json!({ "what": "x" })),
            call("look", &json!({ "what": "2" }))] },
        { "steps": [{ "text": "done" }] },
        { "steps": [{ "text": "again" }] },
    ]);
    let mut asked = Vec::new();
    for restart in [false, true] {
        let stand = Stand::new().await;
        let kernel = stand.kernel(&replies);
        let first = super::stand::start(&kernel, stand.input("one"), Arc::new(NeverDecides)).await;
        stand.until("approval.requested").await;
        kernel.interrupt(&stand.thread, &first).await.unwrap();
        let going_on = Continuation {
            thread: stand.thread.clone(),
            turn: None,
            claim: None,
        };
        let accept = Always::new(json!({ "kind": "acceptOnce" }));
        let started = kernel.continue_turn(going_on, accept.clone()).await;
        let Ok(Started::New { turn, run }) = started else {
            panic!("it was not begun");
        };
        run.spawn();
        kernel.ended(&turn.id).await;
        // One look was done before; the act and the other look are made up for.
        assert_eq!(stand.acts.done.load(Ordering::SeqCst), 3);
        assert_eq!(accept.asked.load(Ordering::SeqCst), 1);
        let kernel = if restart {
            stand.kernel(&replies)
        } else {
            kernel
        };
        assert_eq!(stand.turn(&kernel, "two").await.error, None);
        let requests = stand.requests();
        assert_eq!(requests.len(), 3);
        asked.push(requests[2]["messages"].clone());
        let told = requests[2]["messages"][2].to_string();
        let of = |what: &str| told.find(&format!("{what} done")).unwrap();
        assert!(of("1") < of("x") && of("x") < of("2"), "{told}");
    }
    assert_eq!(asked[0], asked[1]);
    assert_eq!(asked[0].as_array().unwrap().len(), 5);
}
