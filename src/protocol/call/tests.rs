use serde_json::json;

use super::*;
use crate::protocol::RequestId;

fn call(method: &str, params: Value) -> Result<Call, Refused> {
    let Value::Object(params) = params else {
        panic!("{params}")
    };
    Call::of(Request {
        id: RequestId::Integer(1),
        method: method.to_owned(),
        params,
    })
}

#[test]
fn wrong_parameters_are_refused_by_name() {
    let long = "x".repeat(TITLE_LIMIT + 1);
    let table = [
        ("thread/start", json!({"foo": 1}), "foo"),
        ("thread/start", json!({"threadId": "a b"}), "threadId"),
        ("thread/start", json!({"threadId": 5}), "threadId"),
        ("thread/start", json!({"title": long}), "title"),
        ("thread/start", json!({"metadata": []}), "metadata"),
        (
            "thread/start",
            json!({"metadata": {"a": "x".repeat(METADATA_LIMIT)}}),
            "metadata",
        ),
        ("thread/start", json!({"agentOptions": "x"}), "agentOptions"),
        (
            "thread/start",
            json!({"idempotencyKey": ""}),
            "idempotencyKey",
        ),
        ("thread/read", json!({}), "threadId"),
        (
            "thread/read",
            json!({"threadId": "t", "afterEventSeq": -1}),
            "afterEventSeq",
        ),
        (
            "thread/read",
            json!({"threadId": "t", "afterEventSeq": 1.5}),
            "afterEventSeq",
        ),
        (
            "thread/resume",
            json!({"threadId": "t", "limit": 0}),
            "limit",
        ),
        (
            "thread/resume",
            json!({"threadId": "t", "limit": 100_001}),
            "limit",
        ),
        ("thread/fork", json!({"threadId": "t", "at": 1}), "at"),
        (
            "thread/list",
            json!({"includeArchived": "yes"}),
            "includeArchived",
        ),
        ("thread/list", json!({"limit": 1001}), "limit"),
        (
            "thread/archive",
            json!({"threadId": "t", "force": true}),
            "force",
        ),
        ("turn/start", json!({"threadId": "t"}), "input"),
        (
            "turn/start",
            json!({"threadId": "t", "input": " \n"}),
            "input",
        ),
        ("turn/start", json!({"threadId": "t", "input": []}), "input"),
        ("turn/start", json!({"threadId": "t", "input": {}}), "input"),
        (
            "turn/start",
            json!({"threadId": "t", "input": [{"type": "image"}]}),
            "input[0]",
        ),
        (
            "turn/start",
            json!({"threadId": "t", "input": [{"type": "text", "text": "a", "b": 1}]}),
            "input[0]",
        ),
        (
            "turn/start",
            json!({"threadId": "t", "input": "a", "options": {"x": 1}}),
            "options.x",
        ),
        ("turn/interrupt", json!({"threadId": "t"}), "turnId"),
        (
            "initialize",
            json!({"protocolVersion": 1}),
            "minimumProtocolVersion",
        ),
    ];
    for (method, params, member) in table {
        let refused = call(method, params.clone()).unwrap_err();
        let said = format!("{refused:?}");
        assert_eq!(refused.code, ErrorCode::InvalidParams, "{method} {params}");
        assert!(said.contains(member), "{method} {params}: {said}");
    }
    let refused = call("thread/delete", json!({})).unwrap_err();
    assert_eq!(refused.code, ErrorCode::MethodNotFound);
}

#[test]
fn defaults_are_those_of_the_contract() {
    let read = ReadThread {
        thread: "t".parse().unwrap(),
        after: 0,
        limit: 10_000,
    };
    let params = json!({"threadId": "t", "limit": null});
    assert_eq!(call("thread/resume", params), Ok(Call::ResumeThread(read)));
    let list = ListThreads {
        include_archived: false,
        limit: 100,
    };
    assert_eq!(call("thread/list", json!({})), Ok(Call::ListThreads(list)));
    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let turn = call("turn/start", json!({"threadId": "t", "input": parts})).unwrap();
    assert!(matches!(turn, Call::StartTurn(turn) if turn.text == "a\nb"));
}

#[test]
fn agent_options_are_kept_in_the_metadata_and_the_digest_leaves_the_key_out() {
    let start = |params| match call("thread/start", params) {
        Ok(Call::StartThread(start)) => start,
        other => panic!("{other:?}"),
    };
    let params = json!({"metadata": {"a": 1}, "agentOptions": {"b": 2}, "idempotencyKey": "k"});
    let started = start(params);
    let kept = json!({"a": 1, "agentOptions": {"b": 2}});
    assert_eq!(Value::Object(started.metadata), kept);
    let other_key = json!({"agentOptions": {"b": 2}, "idempotencyKey": "l", "metadata": {"a": 1}});
    let digest = |once: Option<Once>| once.unwrap().digest;
    assert_eq!(digest(started.once.clone()), digest(start(other_key).once));
    let with_null = json!({"metadata": {"a": 1}, "agentOptions": {"b": 2}, "title": null, "idempotencyKey": "k"});
    assert_eq!(digest(started.once), digest(start(with_null).once));
}
