use std::path::{Path, PathBuf};

/// The folders that a path in backquotes begins with.
const FOLDERS: [&str; 8] = [
    ".ci/",
    "benches/",
    "docs/",
    "fixtures/",
    "migrations/",
    "queries/",
    "src/",
    "tests/",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The documents of the repository, each with its text. What was changed may name what is gone.
fn documents() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/decisions"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "md") && !path.ends_with("CHANGELOG.md") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 5, "{found:?}");
    found
}

/// Where the links of a document lead, those to the web left out.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1);
    let links = links.filter_map(|rest| rest.split(')').next());
    links.filter(|target| !target.contains("://") && !target.starts_with('#'))
}

/// The files and folders that a document names in backquotes.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines();
    lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)))
        .filter(|word| !word.contains(['…', '*']))
        .filter_map(|word| word.split(' ').next())
}

#[test]
fn every_link_leads_to_a_file() {
    let mut links = 0;
    for (document, text) in documents() {
        for target in targets(&text) {
            let file = target.split('#').next().unwrap();
            let there = document.parent().unwrap().join(file);
            assert!(there.exists(), "{} links to {target}", document.display());
            links += 1;
        }
    }
    assert!(links > 10, "{links}");
}

#[test]
fn every_path_that_is_named_is_there() {
    let mut paths = 0;
    for (document, text) in documents() {
        for path in named(&text) {
            let there = root().join(path).exists();
            assert!(there, "{} names {path}", document.display());
            paths += 1;
        }
    }
    assert!(paths > 20, "{paths}");
}
