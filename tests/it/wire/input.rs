use serde_json::{Value, json};
use threadkeep::kernel::{Kernel, PermissionMode};
use threadkeep::server::{ExitReason, ServeOptions};

use super::host::Host;
use crate::kernel::stand::Stand;

const LINE_LIMIT: usize = 1 << 20;

/// The response to a line that has no id of its own, and a proof that the next line works.
async fn refused(host: &mut Host, line: &[u8]) -> i64 {
    host.write(line).await;
    host.write(b"\n").await;
    let response = host.read().await;
    assert_eq!(response["id"], Value::Null, "{response}");
    let listed = host.result("thread/list", json!({})).await;
    assert!(listed["threads"].is_array());
    response["error"]["code"].as_i64().unwrap()
}

/// C11 to C13.
#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_the_next_one_works() {
    let mut host = Host::new(&json!([{ "steps": [] }])).await;
    let too_long = vec![b' '; LINE_LIMIT + 1];
    let padded = format!("{{\"a\":\"{}\"}}", "x".repeat(5 * LINE_LIMIT));
    let table: [(&[u8], i64); 12] = [
        (b"hello", -32700),
        (b"{\"jsonrpc\":\"2.0\",", -32700),
        (b"{\"a\":\"\xff\"}", -32700),
        (b"\xef\xbb\xbf{}", -32700),
        (b"[]", -32600),
        (
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"thread/list\"}]",
            -32600,
        ),
        (b"\"text\"", -32600),
        (b"{}", -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"thread/list\"}",
            -32600,
        ),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"thread/list\"}",
            -32600,
        ),
        (&too_long, -32600),
        (padded.as_bytes(), -32600),
    ];
    for (line, code) in table {
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        assert_eq!(refused(&mut host, line).await, code, "{shown}");
    }
    let (rest, reason, _) = host.end().await;
    assert_eq!((rest, reason), (vec![], ExitReason::InputEnded));
}

/// C14.
#[tokio::test]
async fn ids_are_echoed_with_their_type() {
    let mut host = Host::new(&json!([{ "steps": [] }])).await;
    for id in [
        json!(0),
        json!(-1),
        json!(1_i64 << 53),
        json!(-(1_i64 << 53)),
        json!(""),
        json!("1"),
        json!("é \" \u{0}"),
    ] {
        host.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "thread/list" }))
            .await;
        let response = host.read().await;
        assert_eq!(response["id"], id);
        assert!(response["result"].is_object());
        // With a code that says the request was understood as far as its id.
        host.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "thread/list", "x": 1 }))
            .await;
        let response = host.read().await;
        assert_eq!(
            (&response["id"], &response["error"]["code"]),
            (&id, &json!(-32600))
        );
    }
    for id in [
        "1.5",
        "1.0",
        "null",
        "true",
        "{}",
        "[]",
        "9007199254740993",
        "1e3",
    ] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"thread/list\"}}");
        assert_eq!(refused(&mut host, line.as_bytes()).await, -32600, "{id}");
    }
}

#[tokio::test]
async fn bad_requests_have_stable_codes() {
    let mut host = Host::new(&json!([{ "steps": [{ "text": "ok" }] }])).await;
    let thread = host.thread().await;
    let table = [
        ("thread/delete", json!({}), -32601),
        ("", json!({}), -32601),
        ("Thread/list", json!({}), -32601),
        ("humanTask/decide", json!({}), -32601),
        ("initialize", json!({}), -32009),
        ("thread/list", json!({ "limit": "many" }), -32602),
        ("thread/list", json!({ "extra": 1 }), -32602),
        ("thread/read", json!({ "threadId": "nothing" }), -32004),
        ("thread/read", json!({ "threadId": "not an id" }), -32602),
        ("thread/resume", json!({ "threadId": "nothing" }), -32004),
        ("thread/archive", json!({ "threadId": "nothing" }), -32004),
        ("thread/fork", json!({ "threadId": "nothing" }), -32004),
        (
            "thread/fork",
            json!({ "threadId": thread, "newThreadId": thread }),
            -32009,
        ),
        (
            "turn/start",
            json!({ "threadId": "nothing", "input": "x" }),
            -32004,
        ),
        (
            "turn/start",
            json!({ "threadId": thread, "input": "" }),
            -32602,
        ),
        (
            "turn/start",
            json!({ "threadId": thread, "input": "x", "options": ["rehearsal/default", "plan"] }),
            -32602,
        ),
        (
            "turn/start",
            json!({ "threadId": thread, "input": [["text", "x"]] }),
            -32602,
        ),
        (
            "turn/start",
            json!({ "threadId": thread, "input": "x", "options": { "model": "x" } }),
            -32602,
        ),
        (
            "turn/start",
            json!({ "threadId": thread, "input": "x", "options": { "model": "nobody/x" } }),
            -32602,
        ),
        (
            "turn/start",
            json!({ "threadId": thread, "input": "x", "options": { "permissionMode": "root" } }),
            -32602,
        ),
        (
            "turn/interrupt",
            json!({ "threadId": thread, "turnId": "nothing" }),
            -32004,
        ),
        (
            "turn/interrupt",
            json!({ "threadId": "nothing", "turnId": "nothing" }),
            -32004,
        ),
    ];
    for (method, params, code) in table {
        assert_eq!(
            host.code(method, params.clone()).await,
            code,
            "{method} {params}"
        );
    }
    let refused = host.ask("thread/start", json!({ "colour": "red" })).await;
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("colour")
    );
    let long = "x".repeat(100_000);
    let refused = host.ask(&long, json!({})).await;
    assert_eq!(refused["error"]["code"], -32601);
    let mut member = serde_json::Map::new();
    member.insert(long, 1.into());
    let refused = host.ask("thread/list", member.into()).await;
    assert_eq!(
        refused["error"]["code"], -32602,
        "the schema bounds its message"
    );
}

#[tokio::test]
async fn a_turn_may_narrow_the_permission_mode_and_not_widen_it() {
    let stand = Stand::new().await;
    let mut options = stand.options(&json!([{ "steps": [{ "text": "ok" }] }]));
    options.permissions.mode = PermissionMode::DontAsk;
    let kernel = Kernel::new(stand.store.clone(), options).unwrap();
    let mut host = Host::on(stand, kernel, ServeOptions::default());
    host.introduce(json!({})).await;
    let thread = host.thread().await;
    for (mode, code) in [
        ("default", Some(-32602)),
        ("manual", Some(-32602)),
        ("plan", None),
    ] {
        let options = json!({ "permissionMode": mode });
        let turn = json!({ "threadId": thread, "input": "x", "options": options });
        let response = host.ask("turn/start", turn).await;
        assert_eq!(response["error"]["code"].as_i64(), code, "{mode}");
    }
}

#[tokio::test]
async fn nothing_is_done_before_the_introduction_and_it_happens_once() {
    let mut host = Host::stranger(&json!([{ "steps": [] }]), ServeOptions::default()).await;
    for method in ["thread/list", "thread/start", "nonsense"] {
        assert_eq!(host.code(method, json!({})).await, -32002, "{method}");
    }
    assert_eq!(
        host.introduce(json!({ "client": {} })).await["error"]["code"],
        -32602
    );
    let later = json!({ "protocolVersion": 7, "minimumProtocolVersion": 5 });
    let refused = host.introduce(later).await;
    let ranges = json!({
        "client": { "minimum": 5, "maximum": 7 },
        "server": { "minimum": 1, "maximum": 1 },
    });
    assert_eq!(refused["error"]["data"], ranges);

    let mut agreed = host.introduce(json!({ "protocolVersion": 3 })).await;
    agreed["result"]["server"]["version"] = "<version>".into();
    insta::assert_json_snapshot!(agreed["result"]);
    assert_eq!(host.introduce(json!({})).await["error"]["code"], -32009);
    host.result("thread/list", json!({})).await;
}

#[tokio::test]
async fn features_are_agreed_in_the_order_of_the_server() {
    let table = [
        (
            json!([
                "bounded_transport",
                "thread_turn_item",
                "typed_graph",
                "structured_approval"
            ]),
            json!([
                "thread_turn_item",
                "structured_approval",
                "bounded_transport"
            ]),
            false,
        ),
        (
            json!(["structured_approval", "thread_turn_item"]),
            json!(["thread_turn_item", "structured_approval"]),
            true,
        ),
        (json!(["deterministic_trace"]), json!([]), true),
    ];
    for (asked, agreed, downgraded) in table {
        let mut host = Host::stranger(&json!([{ "steps": [] }]), ServeOptions::default()).await;
        let result = host.introduce(json!({ "features": asked })).await["result"].take();
        assert_eq!(
            (&result["features"], &result["downgraded"]),
            (&agreed, &json!(downgraded))
        );
    }
}

#[tokio::test]
async fn notifications_and_stray_responses_are_never_answered() {
    let mut host = Host::new(&json!([{ "steps": [] }])).await;
    for message in [
        json!({ "jsonrpc": "2.0", "method": "initialized" }),
        json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } }),
        json!({ "jsonrpc": "2.0", "method": "turn/start", "params": { "threadId": "t", "input": "x" } }),
        json!({ "jsonrpc": "2.0", "id": "server:nobody", "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 5, "error": { "code": 1, "message": "x" } }),
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": 1, "message": "x" } }),
    ] {
        host.send(&message).await;
    }
    host.write(b"\n\r\n   \n").await;
    host.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"crlf\",\"method\":\"thread/list\"}\r\n")
        .await;
    assert_eq!(host.read().await["id"], "crlf");
}
