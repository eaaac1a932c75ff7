//! `glob`: the files whose paths fit a pattern.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use serde_json::json;

use super::list_dir::here;
use super::page::{Page, printable};
use super::reading::{Found, Look, View};
use super::stop::Stop;
use super::walk::Walk;
use crate::kernel::model::ToolDeclaration;

/// The most paths in one answer.
const PATH_LIMIT: usize = 1_000;

/// The files that fit a pattern.
pub(super) struct Glob;

/// Its arguments.
#[derive(Deserialize)]
pub(super) struct Args {
    pattern: String,
    #[serde(default = "here")]
    path: String,
    #[serde(default)]
    include_ignored: bool,
}

impl Look for Glob {
    type Args = Args;

    fn declaration() -> ToolDeclaration {
        ToolDeclaration {
            name: "glob".to_owned(),
            description: format!(
                "Finds files by their paths: one path a line, sorted, relative to the workspace. \
                 Hidden files are found, ignored ones only when asked for; links are not \
                 followed. At most {PATH_LIMIT} paths are shown; a first line in brackets says so \
                 when there are more."
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 1000,
                        "description": "* and ? match within a name, ** across directories, [a-z] one of them, {a,b} either. A pattern without / is matched against file names at any depth, one with / against the path below the directory."
                    },
                    "path": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 4096,
                        "description": "The directory to look in, relative to the workspace; the workspace itself when left out."
                    },
                    "include_ignored": {
                        "type": "boolean",
                        "description": "Whether to find also what .gitignore and .ignore exclude; false when left out."
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
        let filter = Filter::new(&args.pattern)?;
        let mut walk = Walk::new(view, args.include_ignored, stop)?;
        let mut page = Page::new(PATH_LIMIT);
        let (mut total, mut is_full) = (0, false);
        while let Some(met) = walk.next()? {
            if filter.accepts(view, &met.path) {
                total += 1;
                is_full = is_full || !page.push(&printable(&met.path));
            }
        }
        let shown = page.lines();
        let mut notes = walk.notes();
        if total == 0 {
            notes.insert(0, "no file fits the pattern".to_owned());
        } else if shown < total {
            notes.insert(
                0,
                format!(
                    "the first {shown} of {total} files, {} left out: give a path or a narrower \
                     pattern",
                    total - shown
                ),
            );
        }
        Ok(Found {
            content: page.under(&notes),
            details: json!({ "path": view.place.path(), "files": total, "shown": shown }),
        })
    }
}

/// Picks files by their paths.
pub(super) struct Filter {
    matcher: GlobMatcher,
    /// Whether the file name alone is matched.
    by_name: bool,
}

impl Filter {
    /// # Errors
    /// What the model reads when `pattern` is none.
    pub(super) fn new(pattern: &str) -> Result<Self, String> {
        let relative = pattern.strip_prefix("./").unwrap_or(pattern);
        if relative.starts_with('/') || relative.split('/').any(|step| step == "..") {
            return Err(format!(
                "the pattern {pattern:?} cannot fit: it is matched against paths below the \
                 directory given as path, so it neither begins with / nor contains .."
            ));
        }
        let glob = GlobBuilder::new(relative)
            .literal_separator(true)
            .backslash_escape(true)
            .build();
        let glob = glob.map_err(|error| format!("the pattern is not a glob: {error}"))?;
        Ok(Self {
            matcher: glob.compile_matcher(),
            by_name: !pattern.contains('/'),
        })
    }

    /// Whether the file at `path`, relative to the workspace, is meant when looking at a place.
    pub(super) fn accepts(&self, view: &View, path: &str) -> bool {
        let path = Path::new(path);
        if self.by_name {
            return path.file_name().is_some_and(|n| self.matcher.is_match(n));
        }
        let below = path.strip_prefix(view.place.path());
        self.matcher.is_match(below.unwrap_or(path))
    }
}
