use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use threadkeep::domain::{Digest, EvidenceStatus, ItemKind, ItemStatus, TurnStatus};
use threadkeep::kernel::approval::NoApprover;
use threadkeep::kernel::{Budget, Interrupted, Kernel, KernelError, Started};
use threadkeep::store::{Claim, StoreError};

use super::stand::{NeverDecides, Stand, call, payload, start};

#[tokio::test]
async fn a_turn_is_recorded_from_what_was_said_to_its_evidence() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([
        { "steps": [{ "reasoning": "hm" }, { "text": "I look. " }, call("look", &json!({ "what": "a" }))],
          "usage": { "input_tokens": 5, "output_tokens": 2 } },
        { "steps": [{ "text": "All " }, { "text": "done." }],
          "usage": { "input_tokens": 9, "output_tokens": 3 } },
    ]));
    let turn = stand.turn(&kernel, "go").await;
    assert_eq!(turn.status, TurnStatus::Completed);
    assert_eq!(
        stand.types().await,
        [
            "thread.started",
            "turn.started",
            "item.started",
            "item.completed", // what the user said
            "item.started",
            "item.delta",
            "item.completed", // reasoning
            "item.started",
            "item.delta",
            "item.completed", // what the model said
            "usage.recorded",
            "item.started",
            "tool.requested",
            "tool.result",
            "item.completed",
            "item.started",
            "item.delta",
            "item.delta",
            "item.completed",
            "usage.recorded",
            "turn.completed",
        ]
    );
    let evidence = turn.evidence.unwrap();
    assert_eq!(evidence.status, EvidenceStatus::Succeeded);
    assert_eq!(evidence.output_digest, Some(Digest::of(b"All done.")));
    assert_eq!(
        (evidence.input_tokens, evidence.output_tokens),
        (Some(14), Some(5))
    );
    assert_eq!(evidence.last_event_seq, 21);
}

#[tokio::test]
async fn usage_that_is_unknown_once_is_unknown_over_the_turn() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([
        { "steps": [call("look", &json!({}))], "usage": { "input_tokens": 5, "output_tokens": 2 } },
        { "steps": [{ "text": "x" }], "usage": { "output_tokens": 3 } },
    ]));
    let evidence = stand.turn(&kernel, "go").await.evidence.unwrap();
    assert_eq!(
        (evidence.input_tokens, evidence.output_tokens),
        (None, Some(5))
    );
}

#[tokio::test]
async fn a_failing_model_ends_the_turn_with_what_was_said_and_why() {
    let cases = [
        (
            json!([{ "text": "ha" }, { "break": true }]),
            "model_cut",
            ItemStatus::Failed,
        ),
        (
            json!([{ "text": "ha" }, { "error": { "kind": "cut", "message": "gone" } }]),
            "model_cut",
            ItemStatus::Failed,
        ),
        (
            json!([{ "text": "ha" }, { "error": { "kind": "unavailable", "message": "gone" } }]),
            "model_unavailable",
            ItemStatus::Failed,
        ),
    ];
    for (steps, code, status) in cases {
        let stand = Stand::new().await;
        let kernel = stand.kernel(&json!([{ "steps": steps }]));
        let turn = stand.turn(&kernel, "go").await;
        assert_eq!(turn.status, TurnStatus::Failed);
        assert_eq!(turn.error.unwrap().code, code);
        assert_eq!(turn.evidence.unwrap().status, EvidenceStatus::Failed);
        let said = &stand.items(ItemKind::AssistantMessage).await[0];
        assert_eq!(
            (said.status, &said.content),
            (status, &json!({ "text": "ha" }))
        );
    }
}

#[tokio::test]
async fn an_answer_cut_by_its_length_or_refused_is_no_success() {
    for (stop, code) in [
        ("max_tokens", "model_max_tokens"),
        ("refused", "model_refused"),
    ] {
        let stand = Stand::new().await;
        let kernel = stand.kernel(&json!([{ "steps": [{ "text": "half" }], "stop": stop }]));
        let turn = stand.turn(&kernel, "go").await;
        assert_eq!(turn.error.unwrap().code, code);
        assert_eq!(turn.evidence.unwrap().status, EvidenceStatus::Failed);
    }
}

#[tokio::test]
async fn a_retry_is_shown_and_the_turn_goes_on() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([{ "steps": [
        { "retry": { "attempt": 1, "after_ms": 0, "kind": "rate_limited", "message": "slow down" } },
        { "text": "ok" },
    ] }]));
    assert_eq!(
        stand.turn(&kernel, "go").await.status,
        TurnStatus::Completed
    );
    let told = &stand.items(ItemKind::Error).await[0];
    assert_eq!(
        told.content,
        json!({ "text": "slow down", "willRetry": true, "attempt": 1, "afterMs": 0 })
    );
}

#[tokio::test]
async fn an_interrupt_during_three_calls_gives_three_results_and_the_next_turn_works() {
    let stand = Stand::new().await;
    let wait = || call("wait", &json!({ "what": "w" }));
    let kernel = stand.kernel(&json!([
        { "when": "first", "steps": [wait(), wait(), wait()] },
        { "when": "second", "expect": { "roles": ["user", "assistant", "results", "user"], "mentions": ["was interrupted"] },
          "steps": [{ "text": "back" }] },
    ]));
    let turn = start(&kernel, stand.input("first"), Arc::new(NoApprover)).await;
    stand.until("tool.requested").await;
    let Interrupted::Settled(ended) = kernel.interrupt(&stand.thread, &turn).await.unwrap() else {
        panic!("it had ended before");
    };
    assert_eq!(ended.status, TurnStatus::Interrupted);
    assert_eq!(ended.evidence.unwrap().status, EvidenceStatus::Cancelled);
    let results = stand
        .types()
        .await
        .iter()
        .filter(|found| *found == "tool.result")
        .count();
    assert_eq!(results, 3);
    assert_eq!(kernel.running(), 0);
    let again = kernel.interrupt(&stand.thread, &turn).await.unwrap();
    assert!(matches!(again, Interrupted::AlreadyTerminal(_)));
    let next = stand.turn(&kernel, "second").await;
    assert_eq!((next.status, next.error), (TurnStatus::Completed, None));
    let asked = &stand.requests()[1]["messages"];
    let results = asked[2]["results"].as_array().unwrap();
    let calls = asked[1]["tool_calls"].as_array().unwrap();
    let ids = |list: &[serde_json::Value], name: &str| -> Vec<String> {
        list.iter()
            .map(|one| one[name].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(results, "call_id"), ids(calls, "call_id"));
}

#[tokio::test]
async fn an_interrupt_while_the_model_thinks_keeps_what_was_said() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([{ "steps": [{ "text": "so far" }, { "hang": true }] }]));
    let turn = start(&kernel, stand.input("go"), Arc::new(NoApprover)).await;
    stand.until("item.delta").await;
    kernel.interrupt(&stand.thread, &turn).await.unwrap();
    let said = &stand.items(ItemKind::AssistantMessage).await[0];
    assert_eq!(
        (said.status, &said.content),
        (ItemStatus::Cancelled, &json!({ "text": "so far" }))
    );
}

#[tokio::test]
async fn an_effect_without_a_receipt_makes_the_evidence_partial() {
    let stand = Stand::new().await;
    let mut options = stand.options(&json!([
        { "steps": [call("lose", &json!({ "what": "x" }))] },
        { "steps": [{ "text": "done" }] },
    ]));
    options.permissions.allow = vec![threadkeep::kernel::AllowRule::Capability(
        "process.exec".to_owned(),
    )];
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    let turn = stand.turn(&kernel, "go").await;
    assert_eq!(turn.status, TurnStatus::Completed);
    assert_eq!(turn.evidence.unwrap().status, EvidenceStatus::Partial);
    assert_eq!(stand.store.unknown_effects(&turn.id).await.unwrap(), 1);
    let types = stand.types().await;
    let place = |name: &str| types.iter().position(|found| found == name).unwrap();
    assert!(
        place("effect.intended") < place("effect.settled")
            && place("effect.settled") < place("tool.result")
    );
}

#[tokio::test]
async fn a_spent_budget_ends_the_turn_before_the_next_answer() {
    let look = json!([{ "steps": [call("look", &json!({}))] }, { "steps": [{ "text": "never" }] }]);
    let budgets = [
        Budget {
            answers: 1,
            ..Budget::default()
        },
        Budget {
            output_tokens: Some(1_000),
            ..Budget::default()
        }, // what was written is unknown
        Budget {
            wall_time: Some(std::time::Duration::ZERO),
            ..Budget::default()
        },
    ];
    for budget in budgets {
        let stand = Stand::new().await;
        let mut options = stand.options(&look);
        options.budget = budget;
        let kernel = Kernel::new(stand.store.clone(), options).unwrap();
        let turn = stand.turn(&kernel, "go").await;
        assert_eq!(turn.error.unwrap().code, "budget_exhausted");
        assert_eq!(
            turn.evidence.unwrap().status,
            EvidenceStatus::BudgetExhausted
        );
    }
}

/// When the time is up, whatever runs then is stopped: a model, a tool, a question.
#[tokio::test]
async fn a_turn_ends_when_its_time_is_up_whatever_it_waits_for() {
    let waits = [
        json!([{ "steps": [{ "text": "so far" }, { "hang": true }] }]),
        json!([{ "steps": [call("wait", &json!({}))] }, { "steps": [{ "text": "never" }] }]),
        json!([{ "steps": [call("act", &json!({}))] }, { "steps": [{ "text": "never" }] }]),
    ];
    for replies in waits {
        let stand = Stand::new().await;
        let mut options = stand.options(&replies);
        options.budget.wall_time = Some(std::time::Duration::from_millis(50));
        let kernel = Kernel::new(stand.store.clone(), options).unwrap();
        let turn = start(&kernel, stand.input("go"), Arc::new(NeverDecides)).await;
        kernel.ended(&turn).await;
        let turn = stand.store.turn(&stand.thread, &turn).await.unwrap();
        let error = turn.error.unwrap();
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            ("budget_exhausted", "the turn had its 0.05 s"),
            "{replies}"
        );
        let evidence = turn.evidence.unwrap();
        assert_eq!(evidence.status, EvidenceStatus::BudgetExhausted);
    }
}

#[tokio::test]
async fn the_same_key_returns_the_same_turn_and_runs_nothing() {
    let stand = Stand::new().await;
    let kernel = stand.kernel(&json!([{ "steps": [{ "text": "once" }] }]));
    let claim = |asked: &[u8]| {
        Some(Claim {
            method: "turn/start".to_owned(),
            key: "k".parse().unwrap(),
            digest: Digest::of(asked),
        })
    };
    let mut input = stand.input("go");
    input.claim = claim(b"a");
    let turn = start(&kernel, input, Arc::new(NoApprover)).await;
    kernel.ended(&turn).await;
    let mut again = stand.input("go");
    again.claim = claim(b"a");
    match kernel
        .start_turn(again, Arc::new(NoApprover))
        .await
        .unwrap()
    {
        Started::Repeated(found) => {
            assert_eq!((found.id, found.status), (turn, TurnStatus::Completed));
        }
        Started::New { .. } => panic!("it ran twice"),
    }
    let mut other = stand.input("other");
    other.claim = claim(b"b");
    let refused = kernel
        .start_turn(other, Arc::new(NoApprover))
        .await
        .err()
        .unwrap();
    assert!(matches!(
        refused,
        KernelError::Store(StoreError::KeyReused { .. })
    ));
    assert_eq!((stand.requests().len(), kernel.running()), (1, 0));
}

#[tokio::test]
async fn what_cannot_start_starts_nothing() {
    let stand = Stand::new().await;
    let mut options = stand.options(&json!([{ "steps": [{ "hang": true }] }]));
    options.running_turns = 1;
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    let empty = kernel
        .start_turn(stand.input(" \n"), Arc::new(NoApprover))
        .await
        .err()
        .unwrap();
    assert!(matches!(empty, KernelError::EmptyInput));
    let mut nobody = stand.input("go");
    nobody.thread = "nobody".parse().unwrap();
    let unknown = kernel
        .start_turn(nobody, Arc::new(NoApprover))
        .await
        .err()
        .unwrap();
    assert!(matches!(
        unknown,
        KernelError::Store(StoreError::UnknownThread(_))
    ));
    let turn = start(&kernel, stand.input("go"), Arc::new(NoApprover)).await;
    let full = kernel
        .start_turn(stand.input("more"), Arc::new(NoApprover))
        .await
        .err()
        .unwrap();
    assert!(matches!(full, KernelError::Overloaded { running: 1, .. }));
    assert_eq!(kernel.shutdown(std::time::Duration::from_secs(20)).await, 0);
    let ended = stand.store.turn(&stand.thread, &turn).await.unwrap();
    assert_eq!(ended.status, TurnStatus::Interrupted);
    let late = kernel
        .start_turn(stand.input("late"), Arc::new(NoApprover))
        .await
        .err()
        .unwrap();
    assert!(matches!(late, KernelError::ShuttingDown));
    assert_eq!(stand.acts.done.load(Ordering::SeqCst), 0);
    assert_eq!(
        payload(stand.events().await.last().unwrap())["error"]["code"],
        "interrupted"
    );
}

#[tokio::test]
async fn a_panicking_tool_ends_its_turn() {
    let stand = Stand::new().await;
    let mut options = stand.options(&json!([{ "steps": [call("panic", &json!({}))] }]));
    options.toolbox = threadkeep::kernel::tool::Toolbox::of(vec![super::stand::panicking()]);
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    let turn = stand.turn(&kernel, "go").await;
    assert_eq!(
        (turn.status, turn.error.unwrap().code.as_str()),
        (TurnStatus::Failed, "internal")
    );
    let tool = &stand.items(ItemKind::Tool).await[0];
    assert_eq!(tool.status, ItemStatus::Cancelled);
}
