//! `list_dir`: the names in a directory.

use std::collections::BinaryHeap;
use std::ffi::OsString;

use cap_std::fs::{Dir, DirEntry};
use serde::Deserialize;
use serde_json::json;

use super::page::{Page, printable};
use super::reading::{Found, Look, View};
use super::stop::Stop;
use crate::kernel::model::ToolDeclaration;
use crate::kernel::workspace::Kind;

/// The most names in one answer.
const NAME_LIMIT: usize = 1_000;

/// The names of one directory.
pub(super) struct ListDir;

/// Its arguments.
#[derive(Deserialize)]
pub(super) struct Args {
    #[serde(default = "here")]
    path: String,
}

/// The path that means the workspace itself.
pub(super) fn here() -> String {
    ".".to_owned()
}

impl Look for ListDir {
    type Args = Args;

    fn declaration() -> ToolDeclaration {
        ToolDeclaration {
            name: "list_dir".to_owned(),
            description: format!(
                "Lists a directory: one name a line, sorted, directories with a / at their end. \
                 Hidden and ignored files are listed too. At most {NAME_LIMIT} names are shown; \
                 a first line in brackets says so when there are more."
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 4096,
                        "description": "The directory, relative to the workspace; the workspace itself when left out."
                    }
                },
                "additionalProperties": false
            }),
        }
    }

    fn path(args: &Args) -> &str {
        &args.path
    }

    fn look(view: &View, _args: &Args, stop: &Stop) -> Result<Found, String> {
        let dir = view.workspace.open_dir(&view.place);
        let dir = dir.map_err(|error| error.to_string())?;
        let (names, total) = first_names(&dir, stop)?;
        let mut page = Page::new(NAME_LIMIT);
        for (name, is_dir) in &names {
            let name = name.to_string_lossy();
            let mark = if *is_dir || leads_to_dir(view, &name) {
                "/"
            } else {
                ""
            };
            if !page.push(&format!("{}{mark}", printable(&name))) {
                break;
            }
        }
        let shown = page.lines();
        let content = if total == 0 {
            "[the directory is empty]\n".to_owned()
        } else if shown < total {
            page.under(&[format!(
                "the first {shown} of {total} entries, {} left out: look for one with glob",
                total - shown
            )])
        } else {
            page.under(&[])
        };
        Ok(Found {
            content,
            details: json!({ "path": view.place.path(), "entries": total, "shown": shown }),
        })
    }
}

/// The first names of `dir` in order, with whether each is a directory, and how many there are.
/// Holds no more than are shown, however large the directory.
fn first_names(dir: &Dir, stop: &Stop) -> Result<(Vec<(OsString, bool)>, usize), String> {
    let mut first = BinaryHeap::new();
    let mut total = 0;
    let entries = dir.entries().map_err(|error| error.to_string())?;
    for entry in entries {
        stop.check().map_err(|stopped| stopped.to_string())?;
        let entry = entry.map_err(|error| error.to_string())?;
        total += 1;
        first.push((entry.file_name(), is_dir(&entry)));
        if first.len() > NAME_LIMIT {
            first.pop();
        }
    }
    Ok((first.into_sorted_vec(), total))
}

fn is_dir(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Whether `name` is a link to a directory inside the workspace.
fn leads_to_dir(view: &View, name: &str) -> bool {
    let place = view.workspace.resolve(&view.place.below(name));
    place.is_ok_and(|place| place.kind() == Some(Kind::Directory))
}
