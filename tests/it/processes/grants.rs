//! A grant covers one command to the letter.

use serde_json::{Value, json};

use super::Desk;
use threadkeep::kernel::tool::{Access, Grant, Risk, Tool as _};

const GRANTED: [&str; 3] = ["git status", "find . -name x", "npm test"];

/// Each looks like something that is granted, and does something else.
const LOOKALIKES: [&str; 28] = [
    "git status; rm -rf x",
    "git status && touch x",
    "git status || touch x",
    "git status | sh",
    "git status > x",
    "git status\ntouch x",
    "git status & touch x",
    "git status $(touch x)",
    "git status `touch x`",
    "git status <<EOF\n$(touch x)\nEOF",
    "git status <(touch x)",
    "git  status",
    "git status ",
    " git status",
    "GIT STATUS",
    "git status --short",
    "git -c core.pager='touch x' status",
    "GIT_PAGER='touch x' git status",
    "GIT_PAGER='touch x' git log",
    "git grep -O'touch x' y",
    "find . -name x -exec touch x \\;",
    "find . -exec touch x \\;",
    "find . -name x -delete",
    "find . -delete",
    "X=1 npm test",
    "npm test; curl http://example.org",
    "npm testx",
    "CMD=curl; $CMD http://example.org",
];

async fn grant(desk: &Desk, args: Value) -> Grant {
    desk.plan(&args).await.grant
}

#[tokio::test]
async fn no_command_is_covered_by_the_grant_of_another() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("sub")).unwrap();
    let mut granted = Vec::new();
    for command in GRANTED {
        granted.push(grant(&desk, json!({ "command": command })).await);
    }
    for command in LOOKALIKES {
        let asked = grant(&desk, json!({ "command": command })).await;
        assert!(!granted.contains(&asked), "{command:?} is covered");
    }
    for args in [
        json!({ "command": "git status", "cwd": "sub" }),
        json!({ "argv": ["git", "status"] }),
        json!({ "argv": ["git status"] }),
        json!({ "argv": ["npm", "test"] }),
    ] {
        let asked = grant(&desk, args.clone()).await;
        assert!(!granted.contains(&asked), "{args} is covered");
    }
}

#[tokio::test]
async fn the_same_command_in_the_same_directory_is_covered_again() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("sub")).unwrap();
    let first = grant(&desk, json!({ "command": "git status" })).await;
    assert_eq!(first.capability, "process.exec");
    assert_eq!(first.scope, r#"{"command":"git status","cwd":"."}"#);
    for cwd in [".", "./", "sub/.."] {
        let again = json!({ "command": "git status", "cwd": cwd, "timeout_ms": 7 });
        assert_eq!(grant(&desk, again).await, first);
    }
    let argv = grant(&desk, json!({ "argv": ["a", "b c"], "cwd": "sub" })).await;
    assert_eq!(argv.scope, r#"{"argv":["a","b c"],"cwd":"sub"}"#);
}

#[tokio::test]
async fn a_command_too_long_for_a_grant_is_granted_by_its_digest() {
    let desk = Desk::new();
    let long = "x".repeat(5_000);
    let first = grant(&desk, json!({ "command": long })).await;
    let other = grant(&desk, json!({ "command": format!("{long}y") })).await;
    assert!(first.scope.starts_with("sha256:"), "{}", first.scope);
    assert_ne!(first, other);
}

#[tokio::test]
async fn a_plan_shows_the_whole_act_and_runs_nothing() {
    let desk = Desk::new();
    let plan = desk
        .plan(&json!({ "command": "touch made", "timeout_ms": 1_000 }))
        .await;
    assert_eq!(
        plan.operation,
        json!({ "tool": "shell", "command": "touch made", "cwd": ".", "timeoutMs": 1_000 })
    );
    assert_eq!((plan.access, plan.risk), (Access::Execute, Risk::High));
    assert_eq!(
        plan.reason,
        "runs a program with all your rights, in .: touch made"
    );
    assert_eq!(plan.effects.len(), 1);
    assert_eq!(plan.effects[0].kind, "process.exec");
    assert_eq!(plan.effects[0].target, "touch made");
    assert!(!desk.path("made").exists());
}

#[tokio::test]
async fn a_call_that_cannot_be_run_is_refused_with_the_field_that_is_wrong() {
    let desk = Desk::new();
    std::fs::write(desk.path("file"), "").unwrap();
    std::os::unix::fs::symlink("/", desk.path("out")).unwrap();
    for (args, why) in [
        (json!({}), "command"),
        (json!({ "command": "a", "argv": ["a"] }), "not both"),
        (json!({ "command": " " }), "empty"),
        (json!({ "argv": [] }), "empty"),
        (json!({ "argv": ["", "a"] }), "empty"),
        (json!({ "command": "a\0b" }), "NUL"),
        (json!({ "argv": ["a", "\0"] }), "NUL"),
        (json!({ "command": "a".repeat(70_000) }), "70000 bytes"),
        (
            json!({ "command": "a", "timeout_ms": 0 }),
            "timeout_ms is 0",
        ),
        (
            json!({ "command": "a", "timeout_ms": 600_001 }),
            "1 to 600000",
        ),
        (json!({ "command": "a", "timeout_ms": -1 }), "-1"),
        (json!({ "command": "a", "other": 1 }), "other"),
        (json!({ "command": ["a"] }), "string"),
        (
            json!({ "command": "a", "cwd": "/tmp" }),
            "relative to the workspace",
        ),
        (
            json!({ "command": "a", "cwd": ".." }),
            "outside the workspace",
        ),
        (
            json!({ "command": "a", "cwd": "out" }),
            "outside the workspace",
        ),
        (
            json!({ "command": "a", "cwd": "out/tmp" }),
            "outside the workspace",
        ),
        (json!({ "command": "a", "cwd": "none" }), "cwd none"),
        (json!({ "command": "a", "cwd": "file" }), "not a directory"),
        (json!({ "command": "a", "cwd": "a\0" }), "cwd"),
    ] {
        let refusal = desk.shell.plan(&args, &desk.session).await.err();
        let message = refusal
            .unwrap_or_else(|| panic!("{args} was taken"))
            .message;
        assert!(message.contains(why), "{args}: {message}");
    }
}
