//! Any other question: looks its words up and answers with the lines they occur in.

use super::look;
use super::turn::{Round, Turn};
use super::{Call, Move};

/// The most lines shown for one word.
const HIT_LIMIT: usize = 6;

pub(super) fn next(turn: &Turn<'_>, words: &[String]) -> Move {
    if let Some(found) = turn.rounds.first() {
        return Move::Answer(answer(words, found));
    }
    if let Some(lack) = turn.lacks("grep") {
        return Move::Answer(lack);
    }
    let calls = words
        .iter()
        .map(|word| Call::new("grep", look::pattern(word)))
        .collect();
    Move::Call(format!("I look for {}.\n", quoted(words)), calls)
}

fn answer(words: &[String], found: &Round<'_>) -> String {
    let mut told =
        vec!["I cannot understand the question, but this is where its words occur.".to_owned()];
    told.extend(words.iter().zip(found).map(|(word, (_, result))| {
        let said = if result.is_error {
            format!("could not be looked up: {}", look::excerpt(&result.content))
        } else {
            hits(&result.content)
        };
        format!("`{word}` {said}")
    }));
    told.join("\n\n")
}

fn hits(content: &str) -> String {
    let hits: Vec<&str> = content.lines().filter(|line| is_hit(line)).collect();
    if hits.is_empty() {
        let said = content.lines().find(|line| !line.trim().is_empty());
        return format!(
            "is not found ({}).",
            look::cut(said.unwrap_or("nothing was printed"))
        );
    }
    let mut told = vec![format!("is in {} lines:", hits.len())];
    let shown = hits.iter().take(HIT_LIMIT);
    told.extend(shown.map(|hit| format!("- {}", look::cut(hit.trim()))));
    if hits.len() > HIT_LIMIT {
        told.push(format!("- … and {} more", hits.len() - HIT_LIMIT));
    }
    told.join("\n")
}

/// Whether a line of output is `PATH:LINE:TEXT` or `LINE:TEXT`.
fn is_hit(line: &str) -> bool {
    let mut fields = line.trim().splitn(3, ':');
    let is_number = |field: Option<&str>| {
        field.is_some_and(|field| !field.is_empty() && field.chars().all(|c| c.is_ascii_digit()))
    };
    let first_is_number = is_number(fields.next());
    first_is_number || is_number(fields.next())
}

fn quoted(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
