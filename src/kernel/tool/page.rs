//! Lines for the model, up to a limit.

use super::OUTPUT_LIMIT;

/// Kept free for what is said about the lines.
const NOTE_ROOM: usize = 512;

/// The most bytes of lines in one output.
pub(super) const PAGE_LIMIT: usize = OUTPUT_LIMIT - NOTE_ROOM;

/// The lines that fit into one output.
pub(super) struct Page {
    text: String,
    lines: usize,
    line_limit: usize,
}

impl Page {
    pub(super) const fn new(line_limit: usize) -> Self {
        Self {
            text: String::new(),
            lines: 0,
            line_limit,
        }
    }

    /// Adds a line when it fits. When one did not, none should be tried after it.
    pub(super) fn push(&mut self, line: &str) -> bool {
        let fits = self.lines < self.line_limit && self.text.len() + line.len() < PAGE_LIMIT;
        if fits {
            self.text.push_str(line);
            self.text.push('\n');
            self.lines += 1;
        }
        fits
    }

    pub(super) const fn lines(&self) -> usize {
        self.lines
    }

    /// The lines with `notes` before them, each in brackets.
    pub(super) fn under(self, notes: &[String]) -> String {
        under(notes, &self.text)
    }
}

/// `text` with `notes` before it, each on its own line in brackets.
pub(super) fn under(notes: &[String], text: &str) -> String {
    let notes = notes.iter().flat_map(|note| ["[", note, "]\n"]);
    notes.chain([text]).collect()
}

/// A name on one line, whatever it is made of.
pub(super) fn printable(name: &str) -> String {
    name.chars()
        .flat_map(|c| {
            let escaped = c.is_control().then(|| c.escape_default());
            let plain = (!c.is_control()).then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_at_the_limit_of_lines_or_bytes() {
        let mut page = Page::new(2);
        assert!(page.push("a") && page.push("b") && !page.push("c"));
        assert_eq!(page.under(&["cut".to_owned()]), "[cut]\na\nb\n");
        let mut page = Page::new(usize::MAX);
        while page.push(&"x".repeat(99)) {}
        assert_eq!(page.lines(), PAGE_LIMIT / 100);
    }

    #[test]
    fn control_characters_in_a_name_are_written_out() {
        assert_eq!(printable("a\nb\u{1b}é"), "a\\nb\\u{1b}é");
    }
}
