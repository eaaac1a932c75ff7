//! The lines a search found, as far as there is room.

use std::fs::File;
use std::io::{self, Read};

use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use crate::kernel::tool::page::{Page, printable};
use crate::kernel::tool::stop::Stop;

/// The most lines in one answer.
const LINE_LIMIT: usize = 1_000;

/// The most bytes shown of a line.
const WIDTH_LIMIT: usize = 500;

/// The lines of all files.
pub(super) struct Lines {
    page: Page,
    files_only: bool,
    matches: usize,
    is_full: bool,
}

impl Lines {
    pub(super) const fn new(files_only: bool) -> Self {
        Self {
            page: Page::new(LINE_LIMIT),
            files_only,
            matches: 0,
            is_full: false,
        }
    }

    /// The lines of one more file.
    pub(super) fn of(&mut self, path: &str) -> OfFile<'_> {
        OfFile {
            path: printable(path),
            lines: self,
        }
    }

    /// Matches shown; with paths only, files.
    pub(super) const fn matches(&self) -> usize {
        self.matches
    }

    /// Whether something found no room.
    pub(super) const fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn under(self, notes: &[String]) -> String {
        self.page.under(notes)
    }

    fn push(&mut self, line: &str) -> bool {
        self.is_full = self.is_full || !self.page.push(line);
        !self.is_full
    }
}

/// Takes the lines of one file.
pub(super) struct OfFile<'a> {
    path: String,
    lines: &'a mut Lines,
}

impl OfFile<'_> {
    fn show(&mut self, mark: char, number: Option<u64>, bytes: &[u8]) -> bool {
        let number = number.unwrap_or_default();
        let text = text(bytes);
        self.lines
            .push(&format!("{}{mark}{number}{mark}{text}", self.path))
    }
}

impl Sink for OfFile<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let shown = if self.lines.files_only {
            self.lines.push(&self.path)
        } else {
            self.show(':', found.line_number(), found.bytes())
        };
        self.lines.matches += usize::from(shown);
        Ok(shown && !self.lines.files_only)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.lines.files_only || self.show('-', line.line_number(), line.bytes()))
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        Ok(self.lines.files_only || self.lines.push("--"))
    }
}

/// A line without its end, cut when it is long.
fn text(bytes: &[u8]) -> String {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
    if line.len() <= WIDTH_LIMIT {
        return line.into_owned();
    }
    let end = line.floor_char_boundary(WIDTH_LIMIT);
    format!("{} [cut, {} bytes]", &line[..end], line.len())
}

/// A file whose reading ends when it is time to.
pub(super) struct Bounded<'a> {
    file: &'a File,
    stop: &'a Stop,
}

impl<'a> Bounded<'a> {
    pub(super) const fn new(file: &'a File, stop: &'a Stop) -> Self {
        Self { file, stop }
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check().map_err(io::Error::other)?;
        self.file.read(buffer)
    }
}
