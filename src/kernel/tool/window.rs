//! The lines of a text that a reader asked for, picked out of it as it streams by.

use super::page::PAGE_LIMIT;

/// Takes a text piece by piece and keeps the lines asked for, as far as there is room.
pub(super) struct Window {
    first: u64,
    /// The line after the last one asked for.
    end: u64,
    /// The line being read, from 1.
    line: u64,
    /// Bytes of it so far.
    line_bytes: u64,
    /// Where it begins in `text`.
    line_start: usize,
    /// What is kept, with line feeds for CRLF.
    text: String,
    cut: Option<Cut>,
    crlf: u64,
    /// The last byte of the piece before.
    last: u8,
}

/// Why the lines kept end before the last one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// There is no room for this line.
    Before(u64),
    /// This line alone has more bytes than there is room.
    Within {
        /// Its number.
        line: u64,
        /// Its length as far as it was read, without its end.
        bytes: u64,
    },
}

impl Window {
    /// Keeps `count` lines from line `first` on; all when there is no count.
    pub(super) fn new(first: u64, count: Option<u64>) -> Self {
        Self {
            first,
            end: count.map_or(u64::MAX, |count| first.saturating_add(count)),
            line: 1,
            line_bytes: 0,
            line_start: 0,
            text: String::new(),
            cut: None,
            crlf: 0,
            last: 0,
        }
    }

    /// Takes the next piece of the text.
    pub(super) fn take(&mut self, piece: &str) {
        for part in piece.split_inclusive('\n') {
            self.keep(part);
            self.line_bytes += part.len() as u64;
            let before = part.len().checked_sub(2).map(|at| part.as_bytes()[at]);
            if part.ends_with('\n') {
                self.end_line(before.unwrap_or(self.last) == b'\r');
            }
            self.last = part.as_bytes().last().copied().unwrap_or(self.last);
        }
    }

    fn keep(&mut self, part: &str) {
        let wanted = (self.first..self.end).contains(&self.line);
        if !wanted || self.cut.is_some() {
            return;
        }
        let room = PAGE_LIMIT - self.text.len();
        if part.len() <= room {
            self.text.push_str(part);
        } else if self.line == self.first {
            self.text.push_str(&part[..part.floor_char_boundary(room)]);
            self.cut = Some(Cut::Within {
                line: self.line,
                bytes: 0,
            });
        } else {
            self.text.truncate(self.line_start);
            self.cut = Some(Cut::Before(self.line));
        }
    }

    fn end_line(&mut self, crlf: bool) {
        if crlf {
            self.crlf += 1;
            if self.text.ends_with("\r\n") {
                self.text.truncate(self.text.len() - 2);
                self.text.push('\n');
            }
        }
        self.measure_cut(1 + u64::from(crlf));
        self.line += 1;
        self.line_bytes = 0;
        self.line_start = self.text.len();
    }

    /// Notes the length of the line that was cut when it is the one that ends here.
    fn measure_cut(&mut self, end: u64) {
        let length = self.line_bytes - end;
        if let Some(Cut::Within { line, bytes }) = &mut self.cut
            && *line == self.line
        {
            *bytes = length;
        }
    }

    /// Whether nothing that follows is kept.
    pub(super) fn is_done(&self) -> bool {
        self.line >= self.end || self.cut.is_some()
    }

    /// No piece follows.
    pub(super) fn close(mut self) -> View {
        self.measure_cut(0);
        let lines = self.line - u64::from(self.line_bytes == 0);
        let end = match self.cut {
            Some(Cut::Before(line)) => line,
            Some(Cut::Within { line, .. }) => line + 1,
            None => self.end.min(lines + 1),
        };
        View {
            text: self.text,
            first: self.first,
            last: end - 1,
            cut: self.cut,
            lines,
            crlf: self.crlf,
        }
    }
}

/// What a [`Window`] has kept and counted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) text: String,
    /// The first line shown, if any is.
    pub(super) first: u64,
    /// The last line shown; before the first when none is.
    pub(super) last: u64,
    pub(super) cut: Option<Cut>,
    /// Lines that went by; the last one need not have an end.
    pub(super) lines: u64,
    /// How many of them end in CRLF.
    pub(super) crlf: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` through a window, in pieces of every size up to `most`.
    fn view(text: &str, first: u64, count: Option<u64>) -> View {
        let views = (1..=3).map(|size| {
            let mut window = Window::new(first, count);
            let mut rest = text;
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(rest.ceil_char_boundary(size));
                window.take(piece);
                rest = after;
            }
            window.close()
        });
        let mut window = Window::new(first, count);
        window.take(text);
        let whole = window.close();
        for view in views {
            assert_eq!(view, whole);
        }
        whole
    }

    #[test]
    fn the_lines_asked_for_are_kept_and_all_are_counted() {
        for (text, first, count, kept, last, lines) in [
            ("", 1, None, "", 0, 0),
            ("a", 1, None, "a", 1, 1),
            ("a\n", 1, None, "a\n", 1, 1),
            ("a\nb", 1, None, "a\nb", 2, 2),
            ("a\n\nc\n", 2, None, "\nc\n", 3, 3),
            ("a\nb\nc\n", 2, Some(1), "b\n", 2, 3),
            ("a\nb\nc\n", 3, Some(9), "c\n", 3, 3),
            ("a\nb\n", 4, Some(u64::MAX), "", 2, 2),
        ] {
            let view = view(text, first, count);
            assert_eq!(
                (view.text.as_str(), view.last, view.lines),
                (kept, last, lines)
            );
            assert_eq!(view.cut, None);
        }
    }

    #[test]
    fn crlf_is_shown_as_a_line_feed_and_a_lone_return_as_it_is() {
        let view = view("a\r\nb\rc\n\r\nd\r", 1, None);
        assert_eq!((view.text.as_str(), view.crlf), ("a\nb\rc\n\nd\r", 2));
    }

    #[test]
    fn a_line_without_room_ends_the_view_before_it() {
        let text = format!(
            "{}\n{}\nc\n",
            "é".repeat(PAGE_LIMIT / 4),
            "b".repeat(PAGE_LIMIT)
        );
        let view = view(&text, 1, None);
        assert_eq!(view.text.len(), PAGE_LIMIT / 4 * 2 + 1);
        assert_eq!(
            (view.last, view.cut, view.lines),
            (1, Some(Cut::Before(2)), 3)
        );
    }

    #[test]
    fn a_line_longer_than_the_room_is_cut_between_characters_and_measured() {
        let line = format!("x{}", "é".repeat(PAGE_LIMIT));
        for end in ["", "\n", "\r\n", "\nmore\n"] {
            let view = view(&format!("a\n{line}{end}"), 2, None);
            assert_eq!(view.text.len(), PAGE_LIMIT - 1);
            let bytes = line.len() as u64;
            assert_eq!(view.cut, Some(Cut::Within { line: 2, bytes }), "{end:?}");
            assert_eq!(view.last, 2);
        }
    }
}
