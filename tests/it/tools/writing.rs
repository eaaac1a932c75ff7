//! What a change is said to be before it happens, and what is known of it after.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use threadkeep::domain::Digest;
use threadkeep::kernel::tool::{Access, EffectState, Grant, Risk};
use tokio_util::sync::CancellationToken;

use super::{Place, names};

#[tokio::test]
async fn a_plan_says_exactly_what_would_change_and_changes_nothing() {
    let place = Place::with(&[("src/a.txt", "one\ntwo\n")]);
    let read = place
        .call("read_file", json!({ "path": "src/a.txt" }))
        .await;
    assert!(read.is_ok());
    let args = json!({ "path": "./src/a.txt", "old_string": "two", "new_string": "2" });
    let (tool, plan) = place.plan("edit_file", &args).await.unwrap();
    let (before, after) = (Digest::of(b"one\ntwo\n"), Digest::of(b"one\n2\n"));
    assert_eq!((plan.access, plan.risk), (Access::Write, Risk::Medium));
    assert_eq!(
        plan.grant,
        Grant {
            capability: "fs.write".into(),
            scope: "src/a.txt".into()
        }
    );
    assert_eq!(
        plan.operation,
        json!({
            "tool": "edit_file",
            "path": "src/a.txt",
            "before": before,
            "after": after,
            "bytes": 6,
            "diff": "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
            "diffBytesLeftOut": 0,
        })
    );
    assert_eq!(
        serde_json::to_value(&plan.effects).unwrap(),
        json!([{ "kind": "file.write", "target": "src/a.txt", "before": before, "after": after }])
    );
    assert_eq!(place.bytes("src/a.txt"), b"one\ntwo\n");
    let outcome = place.run((tool, plan)).await;
    assert_eq!(
        outcome.content,
        "replaced 1 occurrence in src/a.txt: it has 6 bytes now"
    );
    let receipt = &outcome.receipts[0];
    assert_eq!(
        (receipt.state, receipt.after),
        (EffectState::Happened, Some(after))
    );
    assert_eq!(place.bytes("src/a.txt"), b"one\n2\n");
}

#[tokio::test]
async fn a_new_file_is_created_with_its_directories_when_it_is_written_not_when_planned() {
    let place = Place::with(&[]);
    let args = json!({ "path": "a/b/c.txt", "content": "x\n" });
    let (tool, plan) = place.plan("write_file", &args).await.unwrap();
    assert_eq!(plan.effects[0].before, None);
    assert_eq!(plan.operation["before"], json!(null));
    assert!(names(&place.path("")).is_empty());
    let outcome = place.run((tool, plan)).await;
    assert_eq!(outcome.content, "created a/b/c.txt: it has 2 bytes now");
    assert_eq!(place.bytes("a/b/c.txt"), b"x\n");
}

#[tokio::test]
async fn a_large_change_is_previewed_in_part_and_bound_by_its_digest() {
    let place = Place::with(&[]);
    let content = "line\n".repeat(100_000);
    let args = json!({ "path": "large", "content": content });
    let (_, plan) = place.plan("write_file", &args).await.unwrap();
    let diff = plan.operation["diff"].as_str().unwrap().len() as u64;
    assert!(diff <= 64 * 1024);
    let left_out = plan.operation["diffBytesLeftOut"].as_u64().unwrap();
    assert!(diff + left_out > 600_000, "{diff} {left_out}");
    assert_eq!(
        plan.operation["after"],
        json!(Digest::of(content.as_bytes()))
    );
}

#[tokio::test]
async fn what_git_runs_is_riskier_than_other_files() {
    let place = Place::with(&[]);
    let args = json!({ "path": ".git/hooks/pre-commit", "content": "x" });
    let (_, plan) = place.plan("write_file", &args).await.unwrap();
    assert_eq!(plan.risk, Risk::High);
}

#[tokio::test]
async fn what_cannot_be_edited_is_refused_with_the_reason() {
    let place = Place::with(&[("a", "x y x\nx\n"), ("dir/b", "")]);
    let read = place.call("read_file", json!({ "path": "a" })).await;
    assert!(read.is_ok());
    for (path, old, new, message) in [
        ("a", "z", "1", "a does not hold old_string"),
        ("a", "x", "1", "a holds old_string 3 times (lines 1, 1, 2)"),
        ("a", "x", "x", "a would not change"),
        ("none", "x", "1", "none does not exist"),
        ("dir", "x", "1", "dir is a directory, not a file"),
        ("a/b", "x", "1", "a/b is not a directory"),
    ] {
        let args = json!({ "path": path, "old_string": old, "new_string": new });
        let said = place.refused("edit_file", args).await;
        assert!(said.starts_with(message), "{said}");
    }
    let all = json!({ "path": "a", "old_string": "x", "new_string": "1", "replace_all": true });
    let said = place.call("edit_file", all).await.unwrap();
    assert_eq!(said, "replaced 3 occurrences in a: it has 8 bytes now");
    assert_eq!(place.bytes("a"), b"1 y 1\n1\n");
}

#[tokio::test]
async fn a_cancelled_write_did_not_happen() {
    let place = Place::with(&[]);
    let args = json!({ "path": "a", "content": "x" });
    let (tool, plan) = place.plan("write_file", &args).await.unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = tool.run(plan, &place.session, cancel).await;
    assert!(outcome.is_error);
    assert_eq!(outcome.receipts[0].state, EffectState::DidNotHappen);
    assert!(names(&place.path("")).is_empty());
}

/// Root may write anywhere: the case says nothing then.
#[tokio::test]
async fn a_write_the_system_forbids_did_not_happen_and_leaves_nothing() {
    if rustix::process::getuid().is_root() {
        return;
    }
    let place = Place::with(&[("closed/file", "one\n"), ("read_only", "one\n")]);
    let mode = |path: &str, mode| {
        fs::set_permissions(place.path(path), Permissions::from_mode(mode)).unwrap();
    };
    mode("closed", 0o500);
    mode("read_only", 0o400);
    for path in ["closed/file", "read_only"] {
        let read = place.call("read_file", json!({ "path": path })).await;
        assert!(read.is_ok());
        let args = json!({ "path": path, "old_string": "one", "new_string": "1" });
        let planned = place.plan("edit_file", &args).await.unwrap();
        let outcome = place.run(planned).await;
        assert_eq!(outcome.receipts[0].state, EffectState::DidNotHappen);
        assert_eq!(place.bytes(path), b"one\n");
    }
    mode("closed", 0o700);
    assert_eq!(names(&place.path("closed")), ["file"]);
}
