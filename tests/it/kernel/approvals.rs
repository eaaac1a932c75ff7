use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use threadkeep::domain::{EvidenceStatus, ItemKind, TurnStatus};
use threadkeep::kernel::approval::Approver;
use threadkeep::kernel::tool::Grant;
use threadkeep::kernel::{AllowRule, Kernel, PermissionMode};

use super::stand::{Always, Stand, call, payload};

fn act(what: &str) -> Value {
    call("act", &json!({ "what": what }))
}

fn acting_twice() -> Value {
    json!([
        { "steps": [act("a"), act("a"), act("a b")] },
        { "steps": [{ "text": "done" }] },
        { "steps": [act("a")] },
        { "steps": [{ "text": "done" }] },
    ])
}

#[tokio::test]
async fn a_decision_covers_what_it_says_and_ends_where_it_says() {
    // decision, questions in the first turn, in the second
    let cases = [
        (json!({ "kind": "acceptOnce" }), 3, 1),
        (
            json!({ "kind": "acceptForTurn", "permissions": "requested" }),
            2,
            1,
        ),
        (
            json!({ "kind": "acceptForSession", "permissions": "requested" }),
            2,
            0,
        ),
        (
            json!({ "kind": "acceptForSession", "permissions": [] }),
            3,
            1,
        ),
    ];
    for (decision, first, second) in cases {
        let stand = Stand::new().await;
        let kernel = stand.kernel(&acting_twice());
        let host = Always::new(decision.clone());
        let turn = stand
            .turn_with(&kernel, "go", Arc::clone(&host) as Arc<dyn Approver>)
            .await;
        assert_eq!(turn.status, TurnStatus::Completed);
        assert_eq!(host.asked.swap(0, Ordering::SeqCst), first, "{decision}");
        stand
            .turn_with(&kernel, "go", Arc::clone(&host) as Arc<dyn Approver>)
            .await;
        assert_eq!(host.asked.load(Ordering::SeqCst), second, "{decision}");
        assert_eq!(stand.acts.done.load(Ordering::SeqCst), 4);
    }
}

#[tokio::test]
async fn whatever_is_no_valid_acceptance_runs_nothing() {
    let permission = |scope: &str| json!([{ "capability": "process.exec", "scope": scope }]);
    // decision, via, what the evidence says of the turn
    let cases = [
        (
            json!({ "kind": "decline" }),
            "host",
            EvidenceStatus::Succeeded,
        ),
        (
            json!({ "kind": "decline", "reason": "no" }),
            "host",
            EvidenceStatus::Succeeded,
        ),
        (json!({ "kind": "cancel" }), "host", EvidenceStatus::Blocked),
        (
            json!({ "kind": "decline", "reason": "x".repeat(2_049) }),
            "invalid",
            EvidenceStatus::Succeeded,
        ),
        (
            json!({ "kind": "acceptForTurn", "permissions": permission("other") }),
            "invalid",
            EvidenceStatus::Succeeded,
        ),
        (
            json!({ "kind": "acceptForTurn" }),
            "invalid",
            EvidenceStatus::Succeeded,
        ),
        (
            json!({ "kind": "acceptOnce", "more": 1 }),
            "invalid",
            EvidenceStatus::Succeeded,
        ),
        (
            json!({ "kind": "accept" }),
            "invalid",
            EvidenceStatus::Succeeded,
        ),
        (json!("acceptOnce"), "invalid", EvidenceStatus::Succeeded),
        (Value::Null, "invalid", EvidenceStatus::Succeeded),
    ];
    for (decision, via, status) in cases {
        let stand = Stand::new().await;
        let kernel =
            stand.kernel(&json!([{ "steps": [act("a")] }, { "steps": [{ "text": "ok" }] }]));
        let turn = stand
            .turn_with(&kernel, "go", Always::new(decision.clone()))
            .await;
        assert_eq!(turn.evidence.unwrap().status, status, "{decision}");
        assert_eq!(stand.acts.done.load(Ordering::SeqCst), 0, "{decision}");
        let events = stand.events().await;
        let resolved = events
            .iter()
            .find(|event| event.event_type == "approval.resolved")
            .unwrap();
        assert_eq!(payload(resolved)["via"], via, "{decision}");
        assert_eq!(payload(resolved)["approved"], false);
        assert!(!stand.types().await.contains(&"effect.intended".to_owned()));
    }
}

#[tokio::test]
async fn with_nobody_to_ask_the_turn_is_blocked() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([{ "steps": [act("a"), act("b")] }]));
    let turn = stand.turn(&kernel, "go").await;
    assert_eq!(turn.error.unwrap().code, "approval_refused");
    assert_eq!(turn.evidence.unwrap().status, EvidenceStatus::Blocked);
    let results: Vec<Value> = stand
        .items(ItemKind::Tool)
        .await
        .into_iter()
        .map(|item| item.content["result"].clone())
        .collect();
    assert_eq!(
        results,
        [
            "not approved: nobody is there to approve it",
            "not run: the turn ended before it"
        ]
    );
    assert_eq!(stand.acts.done.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn modes_and_rules_decide_what_is_asked() {
    use PermissionMode::{Default, DontAsk, Manual, Plan};
    let exact = |scope: &str| {
        AllowRule::Act(Grant {
            capability: "process.exec".to_owned(),
            scope: scope.to_owned(),
        })
    };
    let any = || AllowRule::Capability("process.exec".to_owned());
    // mode, rules, asked, done
    let cases = [
        (Default, vec![], 1, 1),
        (Default, vec![exact("a")], 0, 1),
        (Default, vec![exact("a b"), exact("")], 1, 1),
        (Default, vec![any()], 0, 1),
        (Manual, vec![any()], 1, 1),
        (DontAsk, vec![], 0, 0),
        (DontAsk, vec![exact("a")], 0, 1),
        (Plan, vec![any()], 0, 0),
    ];
    for (mode, allow, asked, done) in cases {
        let stand = Stand::new().await;
        let mut options =
            stand.options(&json!([{ "steps": [act("a")] }, { "steps": [{ "text": "ok" }] }]));
        options.permissions.mode = mode;
        options.permissions.allow = allow;
        let kernel = Kernel::new(stand.store.clone(), options).unwrap();
        let host = Always::new(json!({ "kind": "acceptOnce" }));
        let turn = stand
            .turn_with(&kernel, "go", Arc::clone(&host) as Arc<dyn Approver>)
            .await;
        assert_eq!(turn.status, TurnStatus::Completed);
        assert_eq!(host.asked.load(Ordering::SeqCst), asked, "{mode}");
        assert_eq!(stand.acts.done.load(Ordering::SeqCst), done, "{mode}");
    }
}

#[tokio::test]
async fn a_turn_may_narrow_its_mode_and_never_widen_it() {
    let stand = Stand::new().await;
    let mut options =
        stand.options(&json!([{ "steps": [act("a")] }, { "steps": [{ "text": "ok" }] }]));
    options.permissions.mode = PermissionMode::Manual;
    options.permissions.allow = vec![AllowRule::Capability("process.exec".to_owned())];
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    let host = || Always::new(json!({ "kind": "acceptOnce" }));
    let mut wider = stand.input("go");
    wider.mode = Some(PermissionMode::Default);
    assert!(kernel.start_turn(wider, host()).await.is_err());
    // Nothing may happen unasked where every act was to be asked.
    let mut narrower = stand.input("go");
    narrower.mode = Some(PermissionMode::DontAsk);
    let turn = super::stand::start(&kernel, narrower, host()).await;
    kernel.ended(&turn).await;
    assert_eq!(stand.acts.done.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_question_is_bound_random_and_committed_before_it_is_asked() {
    let stand = Stand::new().await;
    let kernel =
        stand.kernel(&json!([{ "steps": [act("a"), act("a")] }, { "steps": [{ "text": "ok" }] }]));
    stand
        .turn_with(&kernel, "go", Always::new(json!({ "kind": "acceptOnce" })))
        .await;
    let events = stand.events().await;
    let asked: Vec<Value> = events
        .iter()
        .filter(|event| event.event_type == "approval.requested")
        .map(|event| payload(event)["request"].clone())
        .collect();
    let binding = |at: usize| &asked[at]["binding"];
    assert_eq!(binding(0)["operationDigest"], binding(1)["operationDigest"]);
    assert_ne!(binding(0)["nonce"], binding(1)["nonce"]);
    assert_ne!(binding(0)["nonce"], asked[0]["id"]);
    let operation = threadkeep::domain::Digest::of(asked[0]["operation"].to_string().as_bytes());
    assert_eq!(binding(0)["operationDigest"], operation.to_string());
}
