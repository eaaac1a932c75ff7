//! `write_file`: a whole file.

use serde::Deserialize;
use serde_json::json;

use super::writing::{Change, Changed};
use crate::kernel::model::ToolDeclaration;

/// Creates or overwrites one file.
pub(super) struct WriteFile;

/// Its arguments.
#[derive(Deserialize)]
pub(super) struct Args {
    path: String,
    content: String,
}

impl Change for WriteFile {
    type Args = Args;

    fn declaration() -> ToolDeclaration {
        ToolDeclaration {
            name: "write_file".to_owned(),
            description: "Writes a whole text file: creates it, with the directories above it, or \
                          overwrites it. An existing file must have been read with read_file \
                          since it last changed. To change a part of a file use edit_file."
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
                    "content": {
                        "type": "string",
                        "description": "All the file is to hold, written as it is: end the last line with a line feed."
                    }
                },
                "required": ["path", "content"],
                "additionalProperties": false
            }),
        }
    }

    fn path(args: &Args) -> &str {
        &args.path
    }

    fn change(args: Args, now: Option<&str>) -> Result<Changed, String> {
        let done = if now.is_some() {
            "overwrote"
        } else {
            "created"
        };
        Ok(Changed {
            content: args.content,
            done: done.to_owned(),
        })
    }
}
