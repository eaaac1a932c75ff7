//! What an edit leaves as it was (C27), and whose work it does not undo (C29).

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

use serde_json::json;
use threadkeep::kernel::tool::EffectState;

use super::{Place, names};

async fn edit(place: &Place, path: &str, old: &str, new: &str) -> Result<String, String> {
    let args = json!({ "path": path, "old_string": old, "new_string": new });
    place.call("edit_file", args).await
}

async fn read(place: &Place, path: &str) -> String {
    let text = place.call("read_file", json!({ "path": path })).await;
    text.unwrap()
}

#[tokio::test]
async fn an_edit_keeps_line_ends_byte_order_mark_and_a_missing_last_newline() {
    let place = Place::with(&[]);
    for (before, old, new, after) in [
        ("one\r\ntwo\r\n", "one\ntwo", "1\n2", "1\r\n2\r\n"),
        ("one\r\ntwo", "two", "2\n3", "one\r\n2\r\n3"),
        ("\u{feff}one\r\n", "one", "1", "\u{feff}1\r\n"),
        ("\u{feff}one\ntwo", "one\n", "1\n", "\u{feff}1\ntwo"),
        ("one\rtwo\n", "two", "2", "one\r2\n"),
    ] {
        place.write("file", before);
        read(&place, "file").await;
        edit(&place, "file", old, new).await.unwrap();
        assert_eq!(place.bytes("file"), after.as_bytes(), "{before:?}");
    }
}

#[tokio::test]
async fn an_edit_keeps_mode_owner_attributes_and_the_link() {
    let place = Place::with(&[("file", "one\n")]);
    let file = place.path("file");
    symlink("file", place.path("link")).unwrap();
    let is_root = rustix::process::getuid().is_root();
    if is_root {
        chown(&file, Some(1234), Some(4321)).unwrap();
    }
    let has_attributes =
        rustix::fs::setxattr(&file, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    for mode in [0o600, 0o644, 0o755, 0o664] {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let before = fs::metadata(&file).unwrap();
        let text = read(&place, "link").await;
        edit(&place, "link", text.trim(), &format!("{mode:o}"))
            .await
            .unwrap();
        let after = fs::metadata(&file).unwrap();
        assert_eq!(place.bytes("file"), format!("{mode:o}\n").as_bytes());
        assert_eq!(after.mode(), before.mode());
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    }
    assert_eq!(
        fs::read_link(place.path("link")).unwrap().to_str(),
        Some("file")
    );
    if has_attributes.is_ok() {
        let mut note = [0; 16];
        let length = rustix::fs::getxattr(&file, "user.note", &mut note).unwrap();
        assert_eq!(&note[..length], b"kept");
    }
    assert_eq!(names(&place.path("")), ["file", "link"]);
}

#[tokio::test]
async fn a_new_file_has_the_mode_any_new_file_has() {
    let place = Place::with(&[("plain", "")]);
    let args = json!({ "path": "a/b/new", "content": "x" });
    place.call("write_file", args).await.unwrap();
    let mode = |path: &str| fs::metadata(place.path(path)).unwrap().mode();
    assert_eq!(mode("a/b/new"), mode("plain"));
    assert_eq!(names(&place.path("a/b")), ["new"]);
}

#[tokio::test]
async fn a_second_hard_link_keeps_the_old_content() {
    let place = Place::with(&[("file", "one\n")]);
    let outside = place.outside().join("linked");
    fs::hard_link(place.path("file"), &outside).unwrap();
    read(&place, "file").await;
    edit(&place, "file", "one", "two").await.unwrap();
    assert_eq!(place.bytes("file"), b"two\n");
    assert_eq!(fs::read(outside).unwrap(), b"one\n");
}

#[tokio::test]
async fn a_file_that_is_not_text_is_refused_unharmed() {
    let place = Place::with(&[]);
    for content in [&b"caf\xe9 one\n"[..], b"one\0", b"\xff\xfeo\0n\0e\0"] {
        place.write("file", content);
        for said in [
            place.refused("read_file", json!({ "path": "file" })).await,
            edit(&place, "file", "one", "two").await.unwrap_err(),
            place
                .refused("write_file", json!({ "path": "file", "content": "x" }))
                .await,
        ] {
            assert!(said.contains("not UTF-8") || said.contains("read it first"));
        }
        assert_eq!(place.bytes("file"), content);
    }
}

#[tokio::test]
async fn a_file_somebody_else_changed_is_not_edited_until_it_is_read_again() {
    let place = Place::with(&[("file", "one two\n")]);
    let said = edit(&place, "file", "one", "1").await.unwrap_err();
    assert_eq!(said, "file exists and you have not read it: read it first");
    read(&place, "file").await;
    place.write("file", "one two three\n");
    let said = edit(&place, "file", "one", "1").await.unwrap_err();
    assert_eq!(said, "file changed since you read it: read it again");
    let overwrite = json!({ "path": "file", "content": "" });
    let said = place.refused("write_file", overwrite).await;
    assert_eq!(said, "file changed since you read it: read it again");
    assert_eq!(place.bytes("file"), b"one two three\n");
    read(&place, "file").await;
    edit(&place, "file", "one", "1").await.unwrap();
    assert_eq!(place.bytes("file"), b"1 two three\n");
}

#[tokio::test]
async fn edits_that_follow_each_other_need_one_reading() {
    let place = Place::with(&[("file", "one two\n")]);
    read(&place, "file").await;
    edit(&place, "file", "one", "1").await.unwrap();
    edit(&place, "file", "two", "2").await.unwrap();
    let created = json!({ "path": "new", "content": "a\n" });
    place.call("write_file", created).await.unwrap();
    edit(&place, "new", "a", "b").await.unwrap();
    assert_eq!(place.bytes("file"), b"1 2\n");
    assert_eq!(place.bytes("new"), b"b\n");
}

#[tokio::test]
async fn what_changes_between_plan_and_run_is_not_overwritten() {
    let place = Place::with(&[("changed", "one\n"), ("removed", "one\n")]);
    let mut planned = Vec::new();
    for path in ["changed", "removed"] {
        read(&place, path).await;
        let args = json!({ "path": path, "old_string": "one", "new_string": "1" });
        planned.push(place.plan("edit_file", &args).await.unwrap());
    }
    let args = json!({ "path": "dir/new", "content": "mine\n" });
    planned.push(place.plan("write_file", &args).await.unwrap());
    place.write("changed", "theirs\n");
    fs::remove_file(place.path("removed")).unwrap();
    place.write("dir/new", "theirs\n");
    for (planned, message) in planned
        .into_iter()
        .zip(["read it again", "no removed", "created by"])
    {
        let outcome = place.run(planned).await;
        assert!(
            outcome.is_error && outcome.content.contains(message),
            "{}",
            outcome.content
        );
        assert_eq!(outcome.receipts[0].state, EffectState::DidNotHappen);
    }
    assert_eq!(place.bytes("changed"), b"theirs\n");
    assert_eq!(place.bytes("dir/new"), b"theirs\n");
    assert_eq!(names(&place.path("")), ["changed", "dir"]);
    assert_eq!(names(&place.path("dir")), ["new"]);
}
