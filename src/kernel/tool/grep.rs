//! `grep`: the lines that match a pattern.

mod lines;

use std::fs::File;

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use serde::Deserialize;
use serde_json::json;

use super::glob::Filter;
use super::list_dir::here;
use super::reading::{Found, Look, View};
use super::stop::Stop;
use super::walk::Walk;
use crate::kernel::model::ToolDeclaration;
use crate::kernel::workspace::Kind;
use lines::{Bounded, Lines};

/// The most bytes a compiled pattern may take.
const PATTERN_SIZE: usize = 4 * 1024 * 1024;

/// The most bytes held of a file: its longest line, with context.
const HEAP_LIMIT: usize = 8 * 1024 * 1024;

/// The lines that match.
pub(super) struct Grep;

/// Its arguments.
#[derive(Deserialize)]
pub(super) struct Args {
    pattern: String,
    #[serde(default = "here")]
    path: String,
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    context: usize,
    #[serde(default)]
    files_only: bool,
    #[serde(default)]
    include_ignored: bool,
}

impl Look for Grep {
    type Args = Args;

    fn declaration() -> ToolDeclaration {
        ToolDeclaration {
            name: "grep".to_owned(),
            description: "Searches the lines of text files for a regular expression. A match is \
                          shown as path:line:text, a line of context as path-line-text. Hidden \
                          files are searched, ignored ones only when asked for; binary files and \
                          links are passed over. A first line in brackets says when not all \
                          matches are shown."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 1000,
                        "description": "A regular expression in Rust's syntax, matched within one line."
                    },
                    "path": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 4096,
                        "description": "The directory or file to search, relative to the workspace; the whole workspace when left out."
                    },
                    "glob": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 1000,
                        "description": "Searches only files that fit this pattern, written as for the tool glob: *.rs or src/**/*.{ts,tsx}."
                    },
                    "ignore_case": {
                        "type": "boolean",
                        "description": "Whether case does not matter; false when left out."
                    },
                    "context": {
                        "type": "integer",
                        "minimum": 0,
                        "maximum": 20,
                        "description": "Lines to show before and after each match; 0 when left out."
                    },
                    "files_only": {
                        "type": "boolean",
                        "description": "Whether to show only the paths of files with a match; false when left out."
                    },
                    "include_ignored": {
                        "type": "boolean",
                        "description": "Whether to search also what .gitignore and .ignore exclude; false when left out."
                    }
                },
                "required": ["pattern"],
                "additionalProperties": false
            }),
        }
    }

    fn path(args: &Args) -> &str {
        &args.path
    }

    fn look(view: &View, args: &Args, stop: &Stop) -> Result<Found, String> {
        let filter = args.glob.as_deref().map(Filter::new).transpose()?;
        let mut search = Search {
            matcher: matcher(args)?,
            searcher: searcher(args),
            lines: Lines::new(args.files_only),
            stop,
            files: 0,
            unsearched: 0,
        };
        let mut notes = Vec::new();
        if view.place.kind() == Some(Kind::File) {
            let file = view.workspace.open_file(&view.place);
            let file = file.map_err(|error| error.to_string())?;
            search.file(view.place.path(), &file);
        } else {
            let mut walk = Walk::new(view, args.include_ignored, stop)?;
            while !search.lines.is_full()
                && let Some(met) = walk.next()?
            {
                let wanted = |filter: &Filter| filter.accepts(view, &met.path);
                if filter.as_ref().is_none_or(wanted) {
                    match walk.open(&met) {
                        Ok(file) => search.file(&met.path, &file),
                        Err(_) => search.unsearched += 1,
                    }
                }
            }
            notes = walk.notes();
        }
        Ok(search.found(view, notes))
    }
}

fn matcher(args: &Args) -> Result<RegexMatcher, String> {
    RegexMatcherBuilder::new()
        .case_insensitive(args.ignore_case)
        .multi_line(true)
        .crlf(true)
        .size_limit(PATTERN_SIZE)
        .dfa_size_limit(PATTERN_SIZE)
        .build(&args.pattern)
        .map_err(|error| format!("the pattern is not a regular expression for one line: {error}"))
}

fn searcher(args: &Args) -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .before_context(args.context)
        .after_context(args.context)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP_LIMIT))
        .build()
}

/// A search that has begun.
struct Search<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    lines: Lines,
    stop: &'a Stop,
    files: usize,
    /// Files that could not be read to their end or have a line longer than can be held.
    unsearched: usize,
}

impl Search<'_> {
    fn file(&mut self, path: &str, file: &File) {
        self.files += 1;
        let reader = Bounded::new(file, self.stop);
        let sink = self.lines.of(path);
        let searched = self.searcher.search_reader(&self.matcher, reader, sink);
        if searched.is_err() {
            self.unsearched += 1;
        }
    }

    fn found(self, view: &View, mut notes: Vec<String>) -> Found {
        let (matches, is_full) = (self.lines.matches(), self.lines.is_full());
        let complete = !is_full && notes.is_empty() && self.unsearched == 0;
        if is_full {
            notes.insert(
                0,
                format!(
                    "the first {matches} matches; there may be more: give a path, a glob or a \
                     narrower pattern"
                ),
            );
        } else if matches == 0 {
            notes.insert(0, format!("no match in {} files", self.files));
        }
        if self.unsearched > 0 {
            notes.push(format!(
                "{} files could not be searched to their end",
                self.unsearched
            ));
        }
        Found {
            details: json!({
                "path": view.place.path(),
                "files": self.files,
                "matches": matches,
                "complete": complete,
            }),
            content: self.lines.under(&notes),
        }
    }
}
