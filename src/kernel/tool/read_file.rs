//! `read_file`: the lines of a text file.

use std::fs::File;
use std::io::{ErrorKind, Read};

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::page::under;
use super::reading::{Found, Look, View};
use super::stop::Stop;
use super::window::{self, Cut, Window};
use crate::domain::Digest;
use crate::kernel::model::ToolDeclaration;
use crate::kernel::workspace::FILE_LIMIT;

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// What a text may begin with without it being part of the text.
const BOM: char = '\u{feff}';

/// The lines of one file.
pub(super) struct ReadFile;

/// Its arguments.
#[derive(Deserialize)]
pub(super) struct Args {
    path: String,
    #[serde(default = "first_line")]
    offset: u64,
    limit: Option<u64>,
}

const fn first_line() -> u64 {
    1
}

impl Look for ReadFile {
    type Args = Args;

    fn declaration() -> ToolDeclaration {
        ToolDeclaration {
            name: "read_file".to_owned(),
            description: "Reads a UTF-8 text file and returns its text as it is, without line \
                          numbers. Lines in brackets before the text say when not all of it is \
                          shown and how to go on. A file must be read before it can be edited or \
                          overwritten."
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
                    "offset": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "The first line to show, counted from 1; 1 when left out."
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "The most lines to show; as many as fit when left out."
                    }
                },
                "required": ["path"],
                "additionalProperties": false
            }),
        }
    }

    fn path(args: &Args) -> &str {
        &args.path
    }

    fn look(view: &View, args: &Args, stop: &Stop) -> Result<Found, String> {
        let path = view.place.path();
        let file = view.workspace.open_file(&view.place);
        let file = file.map_err(|error| error.to_string())?;
        let window = Window::new(args.offset, args.limit);
        let read = stream(file, window, stop).map_err(|why| format!("{path} {why}"))?;
        if read.view.first > read.view.lines.max(1) {
            return Err(format!(
                "{path} has {} lines, so none from line {} on",
                read.view.lines, read.view.first
            ));
        }
        if let Some(digest) = read.digest {
            view.reads.saw(path, digest);
        }
        Ok(Found {
            details: json!({
                "path": path,
                "bytes": read.bytes,
                "lines": read.view.lines,
                "firstLine": read.view.first,
                "lastLine": read.view.last,
                "shownBytes": read.view.text.len(),
                "digest": read.digest,
            }),
            content: content(&read),
        })
    }
}

/// What was read of a file.
struct ReadText {
    view: window::View,
    /// Bytes that went by: the whole file when there is a digest.
    bytes: usize,
    /// Digest of the whole file; `None` when it was not read to its end because it is too large
    /// to be edited anyway.
    digest: Option<Digest>,
}

/// Reads in one pass and constant memory. The error continues a sentence about the file.
fn stream(mut file: File, mut window: Window, stop: &Stop) -> Result<ReadText, String> {
    let mut buffer = vec![0; CHUNK];
    let mut hasher = Sha256::new();
    let mut bytes = 0;
    // Bytes at the start of the buffer: a character whose end was not read yet.
    let mut begun = 0;
    loop {
        stop.check()
            .map_err(|why| format!("was not read to its end: {why}"))?;
        let count = match file.read(&mut buffer[begun..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.map_err(|error| format!("cannot be read: {error}"))?,
        };
        let end = begun + count;
        let text = valid(&buffer[..end], count == 0).map_err(|at| not_text(bytes + at))?;
        if let Some(at) = text.find('\0') {
            return Err(not_text(bytes + at));
        }
        hasher.update(text);
        window.take(match text.strip_prefix(BOM) {
            Some(text) if bytes == 0 => text,
            _ => text,
        });
        let taken = text.len();
        bytes += taken;
        let digest = count == 0;
        if digest || (bytes > FILE_LIMIT && window.is_done()) {
            return Ok(ReadText {
                view: window.close(),
                bytes,
                digest: digest.then(|| Digest::from_bytes(hasher.finalize().into())),
            });
        }
        buffer.copy_within(taken..end, 0);
        begun = end - taken;
    }
}

/// The text in `bytes`, without a character that only begins at their end unless they are the
/// last. The error is where something else than UTF-8 is.
fn valid(bytes: &[u8], last: bool) -> Result<&str, usize> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if error.error_len().is_some() || last => Err(error.valid_up_to()),
        Err(error) => Ok(std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()),
    }
}

fn not_text(at: usize) -> String {
    format!("is not UTF-8 text (byte {at}): this tool cannot show it")
}

fn content(read: &ReadText) -> String {
    let view = &read.view;
    let mut notes = Vec::new();
    if let Some(shown) = shown(read) {
        let more = read.digest.is_none() || view.last < view.lines;
        let next = format!("; go on with offset {}", view.last + 1);
        notes.push(shown + if more { &next } else { "" });
    }
    if read.digest.is_none() {
        notes.push(format!(
            "the file has more than {FILE_LIMIT} bytes: it can be read in parts but not edited"
        ));
    }
    if view.crlf > 0 {
        notes.push("its lines end in CRLF, shown as LF; an edit keeps them".to_owned());
    }
    under(&notes, &view.text)
}

/// Says which part of the file is shown, unless all of it is.
fn shown(read: &ReadText) -> Option<String> {
    let view = &read.view;
    let (first, last, shown) = (view.first, view.last, view.text.len());
    let lines = match read.digest {
        Some(_) => format!("of {}", view.lines),
        None => "of more".to_owned(),
    };
    match view.cut {
        _ if read.bytes == 0 => Some("the file is empty".to_owned()),
        Some(Cut::Within { line, bytes }) => Some(format!(
            "line {line} {lines}, {shown} of its {bytes} bytes{}",
            if read.digest.is_some() {
                ""
            } else {
                " or more"
            }
        )),
        _ if first > 1 || last < view.lines || read.digest.is_none() => {
            Some(format!("lines {first} to {last} {lines}"))
        }
        _ => None,
    }
}
