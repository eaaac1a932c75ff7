use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::*;

/// A project `git/` with the workspace `git/a/b`, and something outside.
fn project() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join("git/a/b");
    fs::create_dir_all(&workspace).unwrap();
    fs::create_dir(dir.path().join("git/.git")).unwrap();
    (dir, workspace)
}

fn put(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn files_up_to_the_git_root_are_told_outermost_first_and_none_from_above_it() {
    let (dir, workspace) = project();
    put(&dir.path().join("AGENTS.md"), "above the root");
    put(&dir.path().join("git/AGENTS.md"), "\u{feff}the root\n");
    put(&workspace.join("AGENTS.md"), "the workspace\n");
    put(&workspace.join("z/AGENTS.md"), "deeper");
    put(&workspace.join("c/d/AGENTS.md"), "deeper");
    put(&workspace.join("node_modules/x/AGENTS.md"), "foreign");
    put(&workspace.join(".hidden/AGENTS.md"), "hidden");
    let expected = "## ../../AGENTS.md\n\nthe root\n\n## AGENTS.md\n\nthe workspace\n\n\
                    Read these before you work in their directories:\n- c/d/AGENTS.md\n- z/AGENTS.md";
    assert_eq!(instructions(&workspace), expected);
}

#[test]
fn outside_a_git_work_tree_only_the_workspace_counts() {
    let dir = tempfile::tempdir().unwrap();
    put(&dir.path().join("AGENTS.md"), "above");
    let workspace = dir.path().join("w");
    fs::create_dir(&workspace).unwrap();
    assert_eq!(instructions(&workspace), "");
}

#[test]
fn what_cannot_be_read_is_left_out_and_nothing_leaves_the_project() {
    let (dir, workspace) = project();
    put(&dir.path().join("git/AGENTS.md"), "the root");
    put(&dir.path().join("private"), "a private file");
    let file = workspace.join("AGENTS.md");
    let pipe = |path: &Path| rustix::fs::mkfifoat(rustix::fs::CWD, path, 0o600.into()).unwrap();
    let odd: [(&str, &dyn Fn()); 6] = [
        ("not UTF-8", &|| put(&file, b"caf\xe9")),
        ("a directory", &|| fs::create_dir(&file).unwrap()),
        ("a pipe", &|| pipe(&file)),
        ("a loop", &|| symlink("AGENTS.md", &file).unwrap()),
        ("a dangling link", &|| symlink("nowhere", &file).unwrap()),
        ("a link out", &|| {
            symlink("../../../private", &file).unwrap();
        }),
    ];
    for (what, make) in odd {
        make();
        assert_eq!(
            instructions(&workspace),
            "## ../../AGENTS.md\n\nthe root",
            "{what}"
        );
        if file.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir(&file).unwrap();
        } else {
            fs::remove_file(&file).unwrap();
        }
    }
    symlink("../AGENTS.md", &file).unwrap();
    put(&workspace.join("../AGENTS.md"), "linked");
    assert!(instructions(&workspace).ends_with("## AGENTS.md\n\nlinked"));
}

#[test]
fn long_files_are_cut_and_the_nearest_keep_their_room() {
    let (dir, workspace) = project();
    // A character of two bytes lies across the limit.
    let long = format!("x{}", "é".repeat(20_000));
    put(&workspace.join("AGENTS.md"), &long);
    put(&workspace.join("../AGENTS.md"), &long);
    put(&dir.path().join("git/AGENTS.md"), &long);
    let text = instructions(&workspace);
    assert_eq!(
        text.matches("[cut: the first 32767 of 40001 bytes]")
            .count(),
        1
    );
    assert!(text.ends_with("[cut: the first 32767 of 40001 bytes]"));
    assert!(
        text.contains("\n[cut: the first 0 of 40001 bytes]\n\n## ../AGENTS.md\n"),
        "{}",
        &text[..200]
    );
    assert!(text.len() < TOTAL_LIMIT + 1_000);
}

#[test]
fn a_great_many_files_below_are_named_up_to_a_limit() {
    let (_dir, workspace) = project();
    for n in 0..60 {
        put(&workspace.join(format!("{n:03}/AGENTS.md")), "x");
    }
    let text = instructions(&workspace);
    assert_eq!(text.matches("/AGENTS.md").count(), NESTED_LIMIT);
    assert!(text.ends_with("- 049/AGENTS.md"));
}
