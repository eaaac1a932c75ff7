//! The commands this model understands to the letter, so that every tool, and every approval,
//! can be tried without a language model.

use serde_json::{Value, json};

use super::look;
use super::turn::Turn;
use super::{Call, Move};

/// One command of a user.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// `read PATH`
    Read(String),
    /// `list [PATH]`
    List(String),
    /// `files PATTERN`
    Glob(String),
    /// `search TEXT`
    Grep(String),
    /// `run COMMAND`
    Run(String),
    /// `write PATH: CONTENT`
    Write { path: String, content: String },
    /// `replace OLD with NEW in PATH`
    Replace {
        path: String,
        old: String,
        new: String,
    },
}

impl Command {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match verb.to_lowercase().as_str() {
            "read" | "cat" => Some(Self::Read(one_word(rest)?)),
            "list" | "ls" if rest.is_empty() => Some(Self::List(".".into())),
            "list" | "ls" => Some(Self::List(one_word(rest)?)),
            "files" | "glob" => Some(Self::Glob(one_word(rest)?)),
            "search" | "grep" => Some(Self::Grep(given(bare(
                rest.strip_prefix("for ").unwrap_or(rest),
            ))?)),
            "run" | "$" if !starts_with_article(rest) => Some(Self::Run(given(bare(rest))?)),
            "write" => write(rest),
            "replace" => replace(rest),
            _ => None,
        }
    }

    /// The tool calls that carry the command out, one round after the other.
    fn rounds(&self) -> Vec<Call> {
        match self {
            Self::Read(path) => vec![Call::new("read_file", json!({ "path": path }))],
            Self::List(path) => vec![Call::new("list_dir", json!({ "path": path }))],
            Self::Glob(pattern) => vec![Call::new("glob", json!({ "pattern": pattern }))],
            Self::Grep(text) => vec![Call::new("grep", look::pattern(text))],
            Self::Run(command) => vec![Call::new("shell", json!({ "command": command }))],
            Self::Write { path, content } => {
                vec![Call::new(
                    "write_file",
                    json!({ "path": path, "content": content }),
                )]
            }
            // An edit is made only to what was read.
            Self::Replace { path, old, new } => vec![
                Call::new("read_file", json!({ "path": path })),
                Call::new(
                    "edit_file",
                    json!({ "path": path, "old_string": old, "new_string": new }),
                ),
            ],
        }
    }
}

/// Carries `command` out step by step and tells what came of it.
pub(super) fn next(turn: &Turn<'_>, command: &Command) -> Move {
    let failed = turn
        .rounds
        .iter()
        .flatten()
        .any(|(_, result)| result.is_error);
    let next = command.rounds().into_iter().nth(turn.rounds.len());
    match next {
        Some(call) if !failed => match turn.lacks(call.name) {
            Some(lack) => Move::Answer(lack),
            None => Move::Call(format!("{}.\n", describe(&call)), vec![call]),
        },
        _ => Move::Answer(report(turn)),
    }
}

fn describe(call: &Call) -> String {
    let argument = ["path", "pattern", "command"]
        .iter()
        .find_map(|name| call.arguments.get(name).and_then(Value::as_str));
    format!(
        "I call `{}` on `{}`",
        call.name,
        argument.unwrap_or_default()
    )
}

fn report(turn: &Turn<'_>) -> String {
    let Some((call, result)) = turn.rounds.last().and_then(|round| round.last()) else {
        return String::new();
    };
    let how = if result.is_error {
        "failed or did not run"
    } else {
        "says"
    };
    format!(
        "`{}` {how}:\n\n{}\n",
        call.name,
        look::excerpt(&result.content)
    )
}

fn write(rest: &str) -> Option<Command> {
    let (path, content) = rest.split_once(':')?;
    let content = content.trim_start_matches([' ', '\t']);
    Some(Command::Write {
        path: one_word(path)?,
        content: format!("{}\n", content.strip_prefix('\n').unwrap_or(content)),
    })
}

fn replace(rest: &str) -> Option<Command> {
    let (change, path) = rest.rsplit_once(" in ")?;
    let (old, new) = change.split_once(" with ")?;
    Some(Command::Replace {
        path: one_word(path)?,
        old: given(bare(old))?,
        new: bare(new),
    })
}

/// The one word of `text`, without quotes; articles do not count.
fn one_word(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().filter(|word| !is_article(word));
    let word = words.next()?;
    words.next().is_none().then(|| bare(word))
}

/// Without the quotes around it.
fn bare(text: &str) -> String {
    let text = text.trim();
    for quote in ['`', '"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.to_owned();
        }
    }
    text.to_owned()
}

fn given(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn is_article(word: &str) -> bool {
    ["the", "a", "an", "file", "folder", "directory"].contains(&word.to_lowercase().as_str())
}

fn starts_with_article(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(is_article)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_to_the_letter() {
        let write = |path: &str, content: &str| Command::Write {
            path: path.into(),
            content: content.into(),
        };
        let cases = [
            ("read README.md", Some(Command::Read("README.md".into()))),
            (
                "Read the file `src/main.rs`",
                Some(Command::Read("src/main.rs".into())),
            ),
            ("list", Some(Command::List(".".into()))),
            ("list src", Some(Command::List("src".into()))),
            ("list the files in this repository", None),
            ("files **/*.rs", Some(Command::Glob("**/*.rs".into()))),
            (
                "search for hash chain",
                Some(Command::Grep("hash chain".into())),
            ),
            (
                "run cargo test | head",
                Some(Command::Run("cargo test | head".into())),
            ),
            ("run `ls -l`", Some(Command::Run("ls -l".into()))),
            ("run the tests", None),
            (
                "write a.txt: hello there",
                Some(write("a.txt", "hello there\n")),
            ),
            ("write a.txt:\none\ntwo", Some(write("a.txt", "one\ntwo\n"))),
            ("write me a poem", None),
            (
                "replace `a b` with `c` in x/y.txt",
                Some(Command::Replace {
                    path: "x/y.txt".into(),
                    old: "a b".into(),
                    new: "c".into(),
                }),
            ),
            ("read this and that", None),
        ];
        for (text, command) in cases {
            assert_eq!(Command::parse(text), command, "{text}");
        }
    }
}
