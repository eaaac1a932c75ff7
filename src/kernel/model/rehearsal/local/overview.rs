//! "What is in this repository?": lists it, reads what introduces it, and tells.

use std::path::Path;

use serde_json::{Value, json};

use super::look;
use super::turn::{Round, Turn};
use super::{Call, Move};

/// The most files read for an overview.
const FILE_LIMIT: usize = 3;

/// The lines read of each.
const LINES_READ: u32 = 80;

/// The most names of entries in an answer.
const NAME_LIMIT: usize = 30;

/// What introduces a project, the most telling first.
const INTRODUCTIONS: &[&str] = &[
    "readme.md",
    "readme",
    "readme.rst",
    "readme.txt",
    "cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "composer.json",
    "gemfile",
    "cmakelists.txt",
    "makefile",
    "agents.md",
];

pub(super) fn next(turn: &Turn<'_>) -> Move {
    match turn.rounds.as_slice() {
        [] => list(turn),
        [listed] => read(turn, listed),
        [listed, files, ..] => Move::Answer(answer(listed, files)),
    }
}

fn list(turn: &Turn<'_>) -> Move {
    match turn.lacks("list_dir") {
        Some(lack) => Move::Answer(lack),
        None => Move::Call(
            "First I list the workspace.\n".into(),
            vec![Call::new("list_dir", json!({ "path": "." }))],
        ),
    }
}

fn read(turn: &Turn<'_>, listed: &Round<'_>) -> Move {
    let names = entries(listed);
    let files = introductions(&names);
    if files.is_empty() || !turn.offers("read_file") {
        return Move::Answer(answer(listed, &Vec::new()));
    }
    let calls = files
        .iter()
        .map(|path| Call::new("read_file", json!({ "path": path, "limit": LINES_READ })))
        .collect();
    Move::Call(
        format!("It has {}; I read what introduces it.\n", files.join(", ")),
        calls,
    )
}

fn entries<'a>(listed: &Round<'a>) -> Vec<&'a str> {
    match listed.first() {
        Some((_, result)) if !result.is_error => look::names(&result.content),
        _ => Vec::new(),
    }
}

fn introductions<'a>(names: &[&'a str]) -> Vec<&'a str> {
    INTRODUCTIONS
        .iter()
        .filter_map(|known| names.iter().find(|name| name.to_lowercase() == *known))
        .copied()
        .take(FILE_LIMIT)
        .collect()
}

fn answer(listed: &Round<'_>, files: &Round<'_>) -> String {
    if let Some((_, failed)) = listed.first().filter(|(_, result)| result.is_error) {
        return format!(
            "I could not list the workspace: {}\n",
            look::excerpt(&failed.content)
        );
    }
    let names = entries(listed);
    let mut told = vec![match names.len() {
        0 => "The workspace is empty.".to_owned(),
        count => format!("The workspace holds {count} entries: {}.", some(&names)),
    }];
    told.extend(files.iter().map(|(call, result)| {
        let path = path(&call.arguments);
        let said = if result.is_error {
            format!("could not be read: {}", look::excerpt(&result.content))
        } else {
            introduce(&path, &look::without_line_numbers(&result.content))
        };
        format!("**{path}** {said}")
    }));
    told.push("This is all I know: it is what the files say, I understood none of it.\n".into());
    told.join("\n\n")
}

fn some(names: &[&str]) -> String {
    let text = names[..names.len().min(NAME_LIMIT)].join(", ");
    match names.len().saturating_sub(NAME_LIMIT) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

fn path(arguments: &str) -> String {
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    arguments["path"].as_str().unwrap_or("a file").to_owned()
}

/// What a README's or a manifest's first lines say of the project.
fn introduce(path: &str, lines: &[&str]) -> String {
    // In a manifest `# ` begins a comment.
    let is_page = path.to_lowercase().starts_with("readme")
        || Path::new(path)
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let title = lines.iter().find_map(|line| line.strip_prefix("# "));
    if let Some(title) = title.filter(|_| is_page) {
        return match first_paragraph(lines) {
            Some(text) => format!("is titled “{}” and begins: {text}", title.trim()),
            None => format!("is titled “{}”.", title.trim()),
        };
    }
    let facts: Vec<String> = ["name", "version", "description", "module"]
        .iter()
        .filter_map(|field| Some(format!("{field} {}", value_of(lines, field)?)))
        .collect();
    if !facts.is_empty() {
        return format!("says: {}.", facts.join(", ").trim_end_matches('.'));
    }
    match lines.iter().find(|line| !line.trim().is_empty()) {
        Some(line) => format!("begins: {}", look::cut(line.trim())),
        None => "is empty.".to_owned(),
    }
}

/// The first lines of running text after the title.
fn first_paragraph(lines: &[&str]) -> Option<String> {
    let is_text = |line: &&&str| {
        let line = line.trim();
        line.starts_with(|c: char| c.is_alphanumeric() || "*_`\"“".contains(c))
    };
    let body: Vec<&str> = lines
        .iter()
        .skip_while(|line| !line.starts_with("# "))
        .skip(1)
        .skip_while(|line| !is_text(line))
        .take_while(|line| !line.trim().is_empty())
        .map(|line| line.trim())
        .collect();
    (!body.is_empty()).then(|| look::cut(&body.join(" ")))
}

/// The value of `field` in `field = "value"`, `"field": "value"` or `field value`.
fn value_of<'a>(lines: &[&'a str], field: &str) -> Option<&'a str> {
    lines.iter().find_map(|line| {
        let line = line.trim().trim_start_matches('"');
        let rest = line.strip_prefix(field)?.trim_start_matches('"');
        let value = rest.trim_start();
        let value = value
            .strip_prefix(['=', ':'])
            .or_else(|| (field == "module" && rest.starts_with(' ')).then_some(value))?;
        let value = value.trim().trim_end_matches(',').trim_matches('"');
        (!value.is_empty() && !value.starts_with(['{', '['])).then_some(value)
    })
}
