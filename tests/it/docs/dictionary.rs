use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::tempdir;

const GENERATOR: &str = ".ci/data-dictionary";
const DICTIONARY: &str = "docs/DATA-DICTIONARY.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// What the check finds wrong in a tree; nothing when the dictionary is what the comments give.
fn problem(tree: &Path) -> Option<String> {
    let mut check = Command::new("python3");
    let done = check
        .arg(tree.join(GENERATOR))
        .arg("--check")
        .output()
        .unwrap();
    (!done.status.success()).then(|| String::from_utf8(done.stderr).unwrap())
}

fn copy(from: &Path, into: &Path) {
    fs::create_dir_all(into).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let file = entry.unwrap().path();
        if file.is_file() {
            fs::copy(&file, into.join(file.file_name().unwrap())).unwrap();
        }
    }
}

/// A tree with all the dictionary is made of.
fn tree(into: &Path) {
    for folder in [".ci", "docs", "migrations", "queries/audit"] {
        copy(&root().join(folder), &into.join(folder));
    }
}

#[test]
fn the_dictionary_is_what_the_comments_give() {
    assert_eq!(
        problem(&root()),
        None,
        "run {GENERATOR} and commit what it writes"
    );
}

#[test]
fn a_dictionary_that_is_stale_is_found() {
    let dir = tempdir().unwrap();
    tree(dir.path());
    assert_eq!(problem(dir.path()), None);

    let question = dir.path().join("queries/audit/head.sql");
    let text = fs::read_to_string(&question).unwrap();
    fs::write(
        &question,
        text.replace("commit_id: the last commit", "commit_id: another"),
    )
    .unwrap();
    let found = problem(dir.path()).unwrap();
    assert!(
        found.contains(DICTIONARY) && found.contains("stale"),
        "{found}"
    );
}

#[test]
fn a_table_or_column_that_nobody_explains_is_found() {
    let dir = tempdir().unwrap();
    tree(dir.path());
    let migration = dir.path().join("migrations/V9999__receipt.sql");
    let bare = include_str!("no_comment.sql");
    fs::write(&migration, bare).unwrap();
    let found = problem(dir.path()).unwrap();
    assert!(found.contains("receipt has no comment"), "{found}");

    fs::write(&migration, format!("-- What tests said.\n{bare}")).unwrap();
    let found = problem(dir.path()).unwrap();
    assert!(
        found.contains("receipt.receipt_id has no comment"),
        "{found}"
    );
}
