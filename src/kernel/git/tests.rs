use std::fs;
use std::path::Path;
use std::process::Command;

use super::head_commit;

/// Runs git, untouched by the settings of whoever runs the tests.
fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(dir)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(["-c", "protocol.file.allow=always"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn repository(dir: &Path, format: &str) {
    git(
        dir,
        &["init", "-q", "-b", "main", "--object-format", format],
    );
    git(dir, &["commit", "-q", "--allow-empty", "-m", "one"]);
}

#[track_caller]
fn agrees(dir: &Path) {
    assert_eq!(head_commit(dir), Some(git(dir, &["rev-parse", "HEAD"])));
}

#[test]
fn it_agrees_with_git_on_branches_packed_refs_and_detached_heads() {
    for (format, length) in [("sha1", 40), ("sha256", 64)] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        repository(root, format);
        agrees(root);
        assert_eq!(head_commit(root).unwrap().len(), length);
        git(root, &["checkout", "-q", "-b", "a/deep/branch"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "two"]);
        fs::create_dir_all(root.join("sub/dir")).unwrap();
        agrees(&root.join("sub/dir"));
        git(root, &["pack-refs", "--all"]);
        assert!(!root.join(".git/refs/heads/a").exists());
        agrees(root);
        git(
            root,
            &["commit", "-q", "--allow-empty", "-m", "newer than packed"],
        );
        agrees(root);
        git(root, &["checkout", "-q", "--detach", "main"]);
        agrees(root);
    }
}

#[test]
fn it_agrees_with_git_in_a_linked_work_tree_and_a_submodule() {
    let dir = tempfile::tempdir().unwrap();
    let (root, other) = (dir.path().join("root"), dir.path().join("other"));
    fs::create_dir(&root).unwrap();
    fs::create_dir(&other).unwrap();
    repository(&root, "sha1");
    repository(&other, "sha1");
    git(
        &root,
        &["worktree", "add", "-q", "-b", "linked", "../linked"],
    );
    let linked = dir.path().join("linked");
    git(
        &linked,
        &["commit", "-q", "--allow-empty", "-m", "in the linked one"],
    );
    agrees(&linked);
    git(&root, &["pack-refs", "--all"]);
    agrees(&linked);
    agrees(&root);
    assert_ne!(head_commit(&linked), head_commit(&root));
    git(&root, &["submodule", "add", "-q", "../other", "module"]);
    agrees(&root.join("module"));
}

#[test]
fn anything_odd_is_no_commit() {
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(head_commit(outside.path()), None, "no work tree");
    let id = "0123456789abcdef0123456789abcdef01234567";
    let upper = id.to_uppercase();
    let long = format!("{id}{}", " ".repeat(5_000));
    for (what, head) in [
        ("no commit yet", "ref: refs/heads/main\n"),
        ("not an id", "0123"),
        ("not lower case", upper.as_str()),
        (
            "two lines",
            "0123456789abcdef0123456789abcdef01234567\nmore\n",
        ),
        ("out of the repository", "ref: refs/../../secret\n"),
        ("not below refs", "ref: secret\n"),
        ("absolute", "ref: /etc/hostname\n"),
        ("round and round", "ref: refs/heads/round\n"),
        ("a pipe", "ref: refs/heads/pipe\n"),
        ("too long", long.as_str()),
        ("empty", ""),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let heads = dir.path().join(".git/refs/heads");
        fs::create_dir_all(&heads).unwrap();
        fs::write(dir.path().join(".git/HEAD"), head).unwrap();
        fs::write(dir.path().join("secret"), id).unwrap();
        fs::write(dir.path().join(".git/secret"), id).unwrap();
        fs::write(heads.join("round"), "ref: refs/heads/round\n").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, heads.join("pipe"), 0o600.into()).unwrap();
        assert_eq!(head_commit(dir.path()), None, "{what}");
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".git"), "gitdir: nowhere\n").unwrap();
    assert_eq!(head_commit(dir.path()), None, "a link to nowhere");
}
