//! What the documents say is so: their examples run, their tables list what the code has, their
//! links lead somewhere.

mod dictionary;
mod layers;
mod ledger;
mod links;
mod proofs;
mod readme;

use std::path::Path;

/// The text of a file of the repository.
fn text_of(path: &str) -> String {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&whole).unwrap_or_else(|error| panic!("{}: {error}", whole.display()))
}

/// The only block of that language.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let mut blocks = blocks(text, language);
    let found = blocks
        .next()
        .unwrap_or_else(|| panic!("no block of {language}"));
    assert!(blocks.next().is_none(), "more than one block of {language}");
    found
}

fn blocks<'t>(text: &'t str, language: &str) -> impl Iterator<Item = &'t str> {
    let fence = format!("```{language}\n");
    let starts: Vec<_> = text
        .match_indices(&fence)
        .map(|(at, _)| at + fence.len())
        .collect();
    starts.into_iter().map(move |start| {
        text[start..]
            .split_once("```")
            .expect("a block that is closed")
            .0
    })
}

/// The rows of the table whose first column is called `head`.
fn rows<'t>(text: &'t str, head: &str) -> Vec<Vec<&'t str>> {
    let (_, table) = text
        .split_once(&format!("| {head} |"))
        .unwrap_or_else(|| panic!("no table of {head}"));
    table
        .lines()
        .skip(2)
        .map_while(|line| line.strip_prefix("| "))
        .map(|row| row.split(" |").map(str::trim).collect())
        .collect()
}

/// Its first cells.
fn first_column<'t>(text: &'t str, head: &str) -> Vec<&'t str> {
    rows(text, head).iter().map(|row| row[0]).collect()
}
