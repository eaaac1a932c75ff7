//! What `read_file` and `list_dir` show, and how much of it.

use std::fs::File;
use std::os::unix::fs::{FileExt, symlink};

use serde_json::json;
use threadkeep::kernel::tool::{Access, OUTPUT_LIMIT, Risk};

use super::Place;

#[tokio::test]
async fn a_file_is_shown_as_it_is_and_a_part_says_which() {
    let place = Place::with(&[("a.txt", "one\ntwo\nthree"), ("empty", "")]);
    for (args, shown) in [
        (json!({ "path": "a.txt" }), "one\ntwo\nthree"),
        (
            json!({ "path": "a.txt", "limit": 1 }),
            "[lines 1 to 1 of 3; go on with offset 2]\none\n",
        ),
        (
            json!({ "path": "./a.txt", "offset": 2, "limit": 5 }),
            "[lines 2 to 3 of 3]\ntwo\nthree",
        ),
        (json!({ "path": "empty" }), "[the file is empty]\n"),
    ] {
        assert_eq!(place.call("read_file", args).await.unwrap(), shown);
    }
    let past = json!({ "path": "a.txt", "offset": 4 });
    assert_eq!(
        place.refused("read_file", past).await,
        "a.txt has 3 lines, so none from line 4 on"
    );
}

#[tokio::test]
async fn a_byte_order_mark_and_crlf_are_not_shown_but_said() {
    let place = Place::with(&[("dos.txt", "\u{feff}one\r\ntwo\r\n")]);
    assert_eq!(
        place
            .call("read_file", json!({ "path": "dos.txt" }))
            .await
            .unwrap(),
        "[its lines end in CRLF, shown as LF; an edit keeps them]\none\ntwo\n"
    );
}

#[tokio::test]
async fn what_is_not_text_is_refused_with_the_place_of_the_first_wrong_byte() {
    let place = Place::with(&[]);
    // The wrong byte stands where two pieces of the file meet.
    let mut split = vec![b'a'; 64 * 1024 - 1];
    split.extend("é!".as_bytes());
    place.write("fine", &split);
    assert!(
        place
            .call("read_file", json!({ "path": "fine" }))
            .await
            .is_ok()
    );
    for (content, at) in [
        (b"ab\xff".to_vec(), 2),
        (b"ab\0c".to_vec(), 2),
        (b"ab\xc3".to_vec(), 2),
        ([&split[..], b"\xc3("].concat(), 64 * 1024 + 2),
    ] {
        place.write("binary", &content);
        let said = place
            .refused("read_file", json!({ "path": "binary" }))
            .await;
        assert_eq!(
            said,
            format!("binary is not UTF-8 text (byte {at}): this tool cannot show it")
        );
    }
}

#[tokio::test]
async fn a_huge_line_is_cut_and_its_length_is_said() {
    let place = Place::with(&[]);
    place.write("huge", format!("first\n{}\nlast\n", "x".repeat(10_000_000)));
    let shown = place
        .call("read_file", json!({ "path": "huge" }))
        .await
        .unwrap();
    assert_eq!(shown, "[lines 1 to 1 of 3; go on with offset 2]\nfirst\n");
    let shown = place
        .call("read_file", json!({ "path": "huge", "offset": 2 }))
        .await
        .unwrap();
    let note = "[line 2 of 3, 32256 of its 10000000 bytes; go on with offset 3]\n";
    assert!(shown.starts_with(note), "{shown:.100}");
    assert!(shown.len() <= OUTPUT_LIMIT);
}

#[tokio::test]
async fn a_huge_file_can_be_read_in_parts() {
    let place = Place::with(&[]);
    // Twenty million bytes of lines, then nearly ten billion that are not on the disk.
    let file = File::create(place.path("huge")).unwrap();
    file.write_at(&b"line\n".repeat(4_000_000), 0).unwrap();
    file.set_len(10_000_000_000).unwrap();
    let shown = place
        .call("read_file", json!({ "path": "huge", "limit": 2 }))
        .await
        .unwrap();
    assert_eq!(
        shown,
        "[lines 1 to 2 of more; go on with offset 3]\n\
         [the file has more than 16777216 bytes: it can be read in parts but not edited]\n\
         line\nline\n"
    );
    let deep = json!({ "path": "huge", "offset": 3_500_000, "limit": 2 });
    let said = place.call("read_file", deep).await.unwrap();
    assert!(said.ends_with("\nline\nline\n"), "{said:.200}");
}

#[tokio::test]
async fn a_directory_is_listed_in_order_with_its_directories_marked() {
    let place = Place::with(&[("b", ""), ("a/x", ""), (".hidden", ""), ("c\nd", "")]);
    symlink("a", place.path("to_dir")).unwrap();
    symlink("b", place.path("to_file")).unwrap();
    symlink("../outside", place.path("to_outside")).unwrap();
    let listed = ".hidden\na/\nb\nc\\nd\nto_dir/\nto_file\nto_outside\n";
    assert_eq!(place.call("list_dir", json!({})).await.unwrap(), listed);
    let via = json!({ "path": "to_dir" });
    assert_eq!(place.call("list_dir", via).await.unwrap(), "x\n");
    let file = place.refused("list_dir", json!({ "path": "b" })).await;
    assert_eq!(file, "b is not a directory");
}

#[tokio::test]
async fn a_directory_of_a_hundred_thousand_is_listed_in_part_and_counted() {
    let place = Place::with(&[]);
    for n in 0..100_000 {
        File::create(place.path(&format!("{n:06}"))).unwrap();
    }
    let listed = place.call("list_dir", json!({})).await.unwrap();
    let mut lines = listed.lines();
    assert_eq!(
        lines.next(),
        Some("[the first 1000 of 100000 entries, 99000 left out: look for one with glob]")
    );
    assert!(lines.eq((0..1_000).map(|n| format!("{n:06}"))));
}

#[tokio::test]
async fn looking_needs_no_permission_and_leaves_no_trace() {
    let place = Place::with(&[("a", "x"), ("d/b", "")]);
    symlink("a", place.path("link")).unwrap();
    for (tool, path, scope) in [("read_file", "link", "a"), ("list_dir", "d/..", ".")] {
        let (_, plan) = place.plan(tool, &json!({ "path": path })).await.unwrap();
        assert_eq!((plan.access, plan.risk), (Access::Read, Risk::Low));
        assert!(plan.effects.is_empty());
        assert_eq!(plan.grant.scope, scope);
        assert_eq!(plan.operation, json!({ "tool": tool, "path": scope }));
    }
}
