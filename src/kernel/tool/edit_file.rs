//! `edit_file`: one piece of text for another.

mod splice;

use serde::Deserialize;
use serde_json::json;

use self::splice::{Edit, Which};
use super::writing::{Change, Changed};
use crate::kernel::model::ToolDeclaration;

/// Replaces text in one file.
pub(super) struct EditFile;

/// Its arguments.
#[derive(Deserialize)]
pub(super) struct Args {
    path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

impl Change for EditFile {
    type Args = Args;

    fn declaration() -> ToolDeclaration {
        ToolDeclaration {
            name: "edit_file".to_owned(),
            description: "Replaces text in a file. The file must have been read with read_file \
                          since it last changed. old_string must occur exactly once, unless \
                          replace_all is true. Line ends are matched whether the file has LF or \
                          CRLF, and kept as they are."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 4096,
                        "description": "The file, relative to the workspace."
                    },
                    "old_string": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The text to replace, to the letter, with its indentation and enough around it to be found once."
                    },
                    "new_string": {
                        "type": "string",
                        "description": "The text to put in its place."
                    },
                    "replace_all": {
                        "type": "boolean",
                        "description": "Replace every occurrence; false when left out."
                    }
                },
                "required": ["path", "old_string", "new_string"],
                "additionalProperties": false
            }),
        }
    }

    fn path(args: &Args) -> &str {
        &args.path
    }

    fn change(args: Args, now: Option<&str>) -> Result<Changed, String> {
        let now = now.ok_or("does not exist: write_file creates files")?;
        let edit = Edit {
            old: &args.old_string,
            new: &args.new_string,
            which: if args.replace_all {
                Which::All
            } else {
                Which::Only
            },
        };
        let (content, count) = edit.apply(now).map_err(|error| error.to_string())?;
        let done = match count {
            1 => "replaced 1 occurrence in".to_owned(),
            _ => format!("replaced {count} occurrences in"),
        };
        Ok(Changed { content, done })
    }
}
