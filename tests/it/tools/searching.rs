//! What `glob` and `grep` find, what they pass over, and how much they show.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use threadkeep::kernel::tool::OUTPUT_LIMIT;

use super::Place;

/// Files as in a project, with rules of what to ignore.
fn project() -> Place {
    let place = Place::with(&[
        (".gitignore", "target/\n*.log\n!keep.log\n/top\n"),
        (".git/config", "needle\n"),
        (".github/ci.yml", "needle: yes\n"),
        ("README.md", "# Title\nno Needle here\n"),
        ("a.log", "needle\n"),
        ("keep.log", "needle\n"),
        ("top", "needle\n"),
        ("src/.ignore", "made.rs\n!b.log\n"),
        ("src/b.log", "needle\n"),
        ("src/lib.rs", "mod a;\nlet needle = 1;\r\nend\n"),
        ("src/made.rs", "needle\n"),
        ("src/deep/a.rs", "one\ntwo\nneedle\nfour\nfive\nneedle\n"),
        ("src/top", "x\n"),
        ("target/out.rs", "needle\n"),
    ]);
    symlink("src/lib.rs", place.path("link.rs")).unwrap();
    symlink("../outside", place.path("out")).unwrap();
    place
}

async fn lines(place: &Place, tool: &str, args: Value) -> Vec<String> {
    let found = place.call(tool, args).await.unwrap();
    found.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_glob_finds_by_name_or_by_path_in_order_and_not_what_is_ignored() {
    let place = project();
    for (args, found) in [
        (
            json!({ "pattern": "*.rs" }),
            &["src/deep/a.rs", "src/lib.rs"][..],
        ),
        (json!({ "pattern": "src/*.rs" }), &["src/lib.rs"]),
        (json!({ "pattern": "./src/*.rs" }), &["src/lib.rs"]),
        (
            json!({ "pattern": "src/**/*.rs" }),
            &["src/deep/a.rs", "src/lib.rs"],
        ),
        (
            json!({ "pattern": "deep/*", "path": "src" }),
            &["src/deep/a.rs"],
        ),
        (
            json!({ "pattern": "*.{yml,md}" }),
            &[".github/ci.yml", "README.md"],
        ),
        (json!({ "pattern": "*.log" }), &["keep.log", "src/b.log"]),
        (json!({ "pattern": "top" }), &["src/top"]),
        (
            json!({ "pattern": "*.rs", "path": "target" }),
            &["target/out.rs"],
        ),
        (
            json!({ "pattern": "*.rs", "include_ignored": true }),
            &[
                "src/deep/a.rs",
                "src/lib.rs",
                "src/made.rs",
                "target/out.rs",
            ],
        ),
        (
            json!({ "pattern": "config", "include_ignored": true }),
            &["[no file fits the pattern]"],
        ),
        (
            json!({ "pattern": "secret" }),
            &["[no file fits the pattern]"],
        ),
    ] {
        assert_eq!(lines(&place, "glob", args.clone()).await, found, "{args}");
    }
}

#[tokio::test]
async fn the_rules_above_the_directory_hold_in_it() {
    let place = project();
    place.write("src/deep/x.log", "needle\n");
    let args = json!({ "pattern": "*", "path": "src/deep" });
    assert_eq!(lines(&place, "glob", args).await, ["src/deep/a.rs"]);
    let args = json!({ "pattern": "needle", "path": "src/deep", "files_only": true });
    assert_eq!(lines(&place, "grep", args).await, ["src/deep/a.rs"]);
}

#[tokio::test]
async fn a_grep_shows_where_each_match_is() {
    let place = project();
    for (args, found) in [
        (
            json!({ "pattern": "needle" }),
            &[
                ".github/ci.yml:1:needle: yes",
                "keep.log:1:needle",
                "src/b.log:1:needle",
                "src/deep/a.rs:3:needle",
                "src/deep/a.rs:6:needle",
                "src/lib.rs:2:let needle = 1;",
            ][..],
        ),
        (
            json!({ "pattern": "needle", "ignore_case": true, "glob": "*.md" }),
            &["README.md:2:no Needle here"],
        ),
        (
            json!({ "pattern": "^needle$", "glob": "src/**", "files_only": true }),
            &["src/b.log", "src/deep/a.rs"],
        ),
        (
            json!({ "pattern": "1;$", "path": "src/lib.rs" }),
            &["src/lib.rs:2:let needle = 1;"],
        ),
        (
            json!({ "pattern": "needle", "path": "link.rs", "context": 1 }),
            &[
                "src/lib.rs-1-mod a;",
                "src/lib.rs:2:let needle = 1;",
                "src/lib.rs-3-end",
            ],
        ),
        (
            json!({ "pattern": "t?wo|six", "path": "src/deep", "context": 1 }),
            &[
                "src/deep/a.rs-1-one",
                "src/deep/a.rs:2:two",
                "src/deep/a.rs-3-needle",
            ],
        ),
        (
            json!({ "pattern": "no such thing", "path": "src" }),
            &["[no match in 5 files]"],
        ),
        (
            json!({ "pattern": "needle", "path": "target" }),
            &["target/out.rs:1:needle"],
        ),
    ] {
        assert_eq!(lines(&place, "grep", args.clone()).await, found, "{args}");
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_with_the_reason() {
    let place = project();
    for (tool, args, message) in [
        (
            "glob",
            json!({ "pattern": "/etc/*" }),
            "neither begins with /",
        ),
        ("glob", json!({ "pattern": "../*" }), "nor contains .."),
        ("glob", json!({ "pattern": "a[" }), "not a glob"),
        ("glob", json!({}), "pattern is missing"),
        (
            "glob",
            json!({ "pattern": "*", "path": "README.md" }),
            "not a directory",
        ),
        (
            "glob",
            json!({ "pattern": "*", "path": "out" }),
            "outside the workspace",
        ),
        (
            "glob",
            json!({ "pattern": "*", "path": "none" }),
            "there is no none",
        ),
        (
            "grep",
            json!({ "pattern": "(" }),
            "not a regular expression",
        ),
        (
            "grep",
            json!({ "pattern": "a\\nb" }),
            "not a regular expression for one line",
        ),
        (
            "grep",
            json!({ "pattern": "(a{1000}){1000}" }),
            "not a regular expression",
        ),
        (
            "grep",
            json!({ "pattern": "x", "path": "../outside" }),
            "outside the workspace",
        ),
        (
            "grep",
            json!({ "pattern": "x", "path": "out/secret" }),
            "outside the workspace",
        ),
        ("grep", json!({ "pattern": "x", "glob": "{" }), "not a glob"),
        (
            "grep",
            json!({ "pattern": "x", "context": 21 }),
            "context: this is greater",
        ),
    ] {
        let said = place.refused(tool, args.clone()).await;
        assert!(said.contains(message), "{tool} {args}: {said}");
    }
}

#[tokio::test]
async fn too_many_files_are_shown_in_part_and_counted() {
    let place = Place::with(&[]);
    for n in 0..3_000 {
        place.write(&format!("d{}/{n:05}", n % 7), "needle\n");
    }
    let found = lines(&place, "glob", json!({ "pattern": "*" })).await;
    assert_eq!(
        found[0],
        "[the first 1000 of 3000 files, 2000 left out: give a path or a narrower pattern]"
    );
    assert_eq!(found.len(), 1_001);
    assert!(found[1..].is_sorted());
    let found = lines(&place, "grep", json!({ "pattern": "needle" })).await;
    assert_eq!(
        found[0],
        "[the first 1000 matches; there may be more: give a path, a glob or a narrower pattern]"
    );
    assert_eq!(found.len(), 1_001);
}

#[tokio::test]
async fn long_lines_are_cut_and_binary_files_passed_over() {
    let place = Place::with(&[]);
    place.write(
        "long",
        format!("{}needle{}\n", "é".repeat(400), "x".repeat(9_000_000)),
    );
    place.write("medium", format!("needle{}\n", "é".repeat(400)));
    place.write("binary", b"\0needle\n");
    place.write("latin", b"caf\xe9 needle\n");
    let utf16: Vec<u8> = "\u{feff}a needle\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    place.write("utf16", utf16);
    let found = lines(&place, "grep", json!({ "pattern": "needle" })).await;
    assert_eq!(found[0], "[1 files could not be searched to their end]");
    assert_eq!(found[1], "latin:1:caf\u{fffd} needle");
    assert!(
        found[2].starts_with("medium:1:needleéé"),
        "{:.40}",
        found[2]
    );
    assert!(found[2].ends_with("é [cut, 806 bytes]"));
    assert_eq!(&found[3..], ["utf16:1:a needle"]);
    place.write("many", format!("{}\n", "needle".repeat(80)).repeat(1_000));
    let found = place.call("grep", json!({ "pattern": "needle" })).await;
    let found = found.unwrap();
    assert!(found.len() <= OUTPUT_LIMIT && found.len() > OUTPUT_LIMIT / 2);
    assert!(found.starts_with("[the first "), "{found:.100}");
}

#[tokio::test]
async fn directories_too_deep_or_unreadable_are_said() {
    let place = Place::with(&[("a/file", "needle\n")]);
    place.write(&format!("{}file", "d/".repeat(80)), "needle\n");
    let found = lines(&place, "glob", json!({ "pattern": "file" })).await;
    assert_eq!(
        found,
        ["[1 directories lie too deep and were left out]", "a/file"]
    );
    let deep = json!({ "pattern": "file", "path": "d/".repeat(70) });
    let found = lines(&place, "glob", deep).await;
    assert_eq!(found, [format!("{}file", "d/".repeat(80))]);
}

#[tokio::test]
async fn looking_through_everything_follows_no_link_and_waits_for_no_pipe() {
    let place = Place::with(&[("a", "secret\n")]);
    symlink(".", place.path("circle")).unwrap();
    symlink("../outside", place.path("out")).unwrap();
    symlink("../outside/secret", place.path("out_file")).unwrap();
    let mode = rustix::fs::Mode::from(0o600);
    let pipe = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, place.path("pipe"), pipe, mode, 0).unwrap();
    fs::write(place.path("name\nof two"), "secret\n").unwrap();
    let found = lines(&place, "grep", json!({ "pattern": "secret" })).await;
    assert_eq!(found, ["a:1:secret", "name\\nof two:1:secret"]);
    let found = lines(&place, "glob", json!({ "pattern": "**" })).await;
    assert_eq!(found, ["a", "name\\nof two"]);
}
