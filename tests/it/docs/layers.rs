use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{rows, text_of};

type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The words in backquotes.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The arrows the page allows: each layer and the layers it may use.
fn allowed() -> Arrows {
    let page = text_of("docs/ARCHITECTURE.md");
    rows(&page, "layer")
        .into_iter()
        .map(|row| (row[0].trim_matches('`').to_owned(), quoted(row[1])))
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The files of `src` by their path in it, without their comments.
fn code() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (name, without_comments(&text))
        })
        .collect()
}

fn without_comments(text: &str) -> String {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// True where `code` has `word` as a word of its own.
fn has_word(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(part) && !code[at + word.len()..].starts_with(part))
}

/// The layers that `code` names by a path from the top of the crate, `use` or not.
fn named<'l>(code: &str, layers: impl Iterator<Item = &'l String>) -> BTreeSet<String> {
    layers
        .filter(|layer| {
            // Nothing but the top of the crate has a child of a layer's name.
            has_word(code, &format!("crate::{layer}")) || has_word(code, &format!("super::{layer}"))
        })
        .cloned()
        .collect()
}

/// The arrows of a file that the page does not allow.
fn forbidden(file: &str, code: &str, allowed: &Arrows) -> Vec<String> {
    let Some((layer, _)) = file.split_once('/') else {
        return Vec::new();
    };
    let Some(may_use) = allowed.get(layer) else {
        return vec![format!("{file}: the page does not know the layer {layer}")];
    };
    let mut wrong: Vec<_> = named(code, allowed.keys())
        .into_iter()
        .filter(|used| used != layer && !may_use.contains(used))
        .map(|used| format!("{file}: {layer} may not use {used}"))
        .collect();
    // One path a `use`, so that this test can read it.
    if code.contains("crate::{") {
        wrong.push(format!(
            "{file}: say `use crate::LAYER::…` once for each layer"
        ));
    }
    wrong
}

#[test]
fn every_arrow_between_layers_is_one_the_page_allows() {
    let allowed = allowed();
    let code = code();
    let wrong: Vec<_> = code
        .iter()
        .flat_map(|(file, code)| forbidden(file, code, &allowed))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");

    // What is allowed leads down: taking away what uses nothing that is left ends with nothing.
    let mut left: Vec<_> = allowed.keys().collect();
    while !left.is_empty() {
        let standing = left.clone();
        left.retain(|layer| standing.iter().any(|used| allowed[*layer].contains(*used)));
        assert!(left.len() < standing.len(), "a circle among {left:?}");
    }
}

#[test]
fn an_arrow_that_points_up_is_found() {
    let allowed = allowed();
    let file = "store/writer.rs";
    let down = "use crate::domain::ThreadId;\nuse super::state;";
    assert_eq!(forbidden(file, down, &allowed), [""; 0]);
    for up in [
        "use crate::kernel::Kernel;",
        "fn f() -> crate::kernel::Budget {}",
        "use super::super::kernel;",
        "use crate::{domain, kernel};",
        "pub use crate::kernel;",
    ] {
        assert_eq!(forbidden(file, up, &allowed).len(), 1, "{up}");
    }
    assert_eq!(forbidden("gateway/mod.rs", "", &allowed).len(), 1);
}

#[test]
fn every_layer_says_what_the_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders: BTreeSet<_> = fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let allowed = allowed();
    assert_eq!(folders, allowed.keys().cloned().collect());
    for (layer, may_use) in &allowed {
        let comment = text_of(&format!("src/{layer}/mod.rs")).replace("\n//!", "");
        let (_, said) = comment
            .split_once("May use: ")
            .unwrap_or_else(|| panic!("{layer}"));
        let (said, _) = said
            .split_once(" Promises:")
            .unwrap_or_else(|| panic!("{layer}"));
        let layers = quoted(said).intersection(&folders).cloned().collect();
        match said {
            "everything; it composes." => assert_eq!(may_use.len(), folders.len() - 1),
            _ => assert_eq!(*may_use, layers, "{layer}: {said}"),
        }
    }
}

#[test]
fn a_library_is_known_where_the_page_says_and_nowhere_else() {
    let page = text_of("docs/ARCHITECTURE.md");
    let code = code();
    for row in rows(&page, "library") {
        let place = row[1].trim_matches('`').strip_prefix("src/").unwrap();
        for library in quoted(row[0]) {
            let users: Vec<_> = code
                .iter()
                .filter(|(_, code)| {
                    has_word(code, &library) && code.contains(&format!("{library}::"))
                })
                .map(|(file, _)| file)
                .collect();
            assert!(!users.is_empty(), "{library} is used nowhere");
            let elsewhere: Vec<_> = users
                .iter()
                .filter(|file| !file.starts_with(place))
                .collect();
            assert!(elsewhere.is_empty(), "{library} is known to {elsewhere:?}");
        }
    }
}
