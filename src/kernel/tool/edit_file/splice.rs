//! Finding text and putting other text in its place, whatever the line ends.

use crate::kernel::workspace::FILE_LIMIT;

/// The most lines named when text occurs more than once.
const LINE_LIMIT: usize = 10;

/// One text for another.
pub(super) struct Edit<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) which: Which,
}

/// Which occurrences are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// The only one there is.
    Only,
    /// Every one.
    All,
}

/// Why nothing was replaced. Continues a sentence about the file.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum EditError {
    #[error("would not change: old_string and new_string are the same")]
    Same,
    #[error("does not hold old_string: it must match to the letter, with every space and line end")]
    Missing,
    #[error("holds old_string {count} times (lines {lines}): make it longer, or set replace_all")]
    Several { count: usize, lines: String },
    #[error("would be larger than {FILE_LIMIT} bytes")]
    TooLarge,
}

impl Edit<'_> {
    /// `text` with the replacement made, and how many were.
    pub(super) fn apply(&self, text: &str) -> Result<(String, usize), EditError> {
        let folded = Folded::of(text);
        let (old, new) = (folded.needle(self.old), folded.replacement(self.new));
        if old == folded.needle(self.new) {
            return Err(EditError::Same);
        }
        let found = match self.which {
            Which::All => folded.text.match_indices(&old).map(|(at, _)| at).collect(),
            Which::Only => overlapping(&folded.text, &old),
        };
        match found.len() {
            0 => return Err(EditError::Missing),
            count if count > 1 && self.which == Which::Only => {
                return Err(EditError::Several {
                    count,
                    lines: lines(&folded.text, &found),
                });
            }
            _ => {}
        }
        let grown = new.len().saturating_sub(old.len());
        if text.len().saturating_add(grown.saturating_mul(found.len())) > FILE_LIMIT {
            return Err(EditError::TooLarge);
        }
        let mut changed = String::with_capacity(text.len());
        let mut done = 0;
        for at in &found {
            changed.push_str(&text[done..folded.original(*at)]);
            changed.push_str(&new);
            done = folded.original(at + old.len());
        }
        changed.push_str(&text[done..]);
        Ok((changed, found.len()))
    }
}

/// Where `old` occurs, also where occurrences overlap: which one is meant would not be clear.
fn overlapping(text: &str, old: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(old)) {
        found.push(from + at);
        from = text.ceil_char_boundary(from + at + 1);
    }
    found
}

fn lines(text: &str, found: &[usize]) -> String {
    let line = |at: &usize| 1 + text[..*at].bytes().filter(|byte| *byte == b'\n').count();
    let shown = found.iter().take(LINE_LIMIT).map(|at| line(at).to_string());
    let shown: Vec<String> = shown.collect();
    let more = if found.len() > LINE_LIMIT {
        ", …"
    } else {
        ""
    };
    shown.join(", ") + more
}

/// A text whose line ends are all line feeds, and the way back to the text it was made of.
struct Folded {
    text: String,
    /// Where in `text` the line feeds are that had a carriage return before them, in order.
    returns: Vec<usize>,
    /// Whether most lines of the text end in CRLF.
    crlf: bool,
}

impl Folded {
    fn of(text: &str) -> Self {
        let mut folded = String::with_capacity(text.len());
        let mut returns = Vec::new();
        let mut lines = 0;
        for line in text.split_inclusive('\n') {
            lines += 1;
            match line.strip_suffix("\r\n") {
                Some(line) => {
                    folded.push_str(line);
                    returns.push(folded.len());
                    folded.push('\n');
                }
                None => folded.push_str(line),
            }
        }
        Self {
            crlf: returns.len() * 2 >= lines && lines > 0,
            text: folded,
            returns,
        }
    }

    /// What is looked for, with the line ends of the folded text. A text without CRLF is taken to
    /// the letter.
    fn needle(&self, old: &str) -> String {
        if self.returns.is_empty() {
            old.to_owned()
        } else {
            old.replace("\r\n", "\n")
        }
    }

    /// What is put in, with the line ends of the original.
    fn replacement(&self, new: &str) -> String {
        let new = self.needle(new);
        if self.crlf {
            new.replace('\n', "\r\n")
        } else {
            new
        }
    }

    /// The place in the original of the place `at` in the folded text. Between a carriage return
    /// and its line feed there is none: it is before both.
    fn original(&self, at: usize) -> usize {
        at + self.returns.partition_point(|end| *end < at)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(text: &str, old: &str, new: &str, which: Which) -> Result<(String, usize), EditError> {
        Edit { old, new, which }.apply(text)
    }

    #[test]
    fn text_is_replaced_and_nothing_else_changes() {
        for (text, old, new, changed) in [
            ("a b c", "b", "x", "a x c"),
            ("a\nb\nc", "a\nb\n", "", "c"),
            ("a\nb", "b", "b\n", "a\nb\n"),
            ("a\r\nb\r\nc", "b", "x\ny", "a\r\nx\r\ny\r\nc"),
            ("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", "a\r\nx\r\nb\r\nc\r\n"),
            ("a\r\nb\r\n", "a\r\nb", "c", "c\r\n"),
            ("a\r\nb\r\n", "a\n", "", "b\r\n"),
            ("a\r\nb\r\n", "\nb", "", "a\r\n"),
            ("a\r\nb\r\n", "b\n", "b", "a\r\nb"),
            ("a\r\n\r\nb", "\n\n", "\n", "a\r\nb"),
            ("a\nb\nc\r\n", "c\n", "c\nd\n", "a\nb\nc\nd\n"),
            ("a\rb\nc", "\rb\n", "\r\n", "a\r\nc"),
            ("\u{feff}é\r\n", "é", "ü", "\u{feff}ü\r\n"),
        ] {
            let done = edit(text, old, new, Which::Only);
            assert_eq!(done, Ok((changed.to_owned(), 1)), "{text:?} {old:?}");
        }
        assert_eq!(
            edit("aXbXc\r\n", "X", "\n", Which::All),
            Ok(("a\r\nb\r\nc\r\n".to_owned(), 2))
        );
    }

    #[test]
    fn what_cannot_be_replaced_is_said() {
        let several = |count, lines: &str| EditError::Several {
            count,
            lines: lines.to_owned(),
        };
        let large = "a".repeat(FILE_LIMIT);
        for (text, old, new, which, error) in [
            ("a", "b", "c", Which::Only, EditError::Missing),
            ("", "b", "c", Which::All, EditError::Missing),
            ("a\n", "a\r\n", "c", Which::Only, EditError::Missing),
            ("a", "a", "a", Which::Only, EditError::Same),
            ("a\r\n", "a\n", "a\r\n", Which::Only, EditError::Same),
            ("a\nb\na", "a", "c", Which::Only, several(2, "1, 3")),
            ("aaa", "aa", "c", Which::Only, several(2, "1, 1")),
            ("éé", "é", "c", Which::Only, several(2, "1, 1")),
            (&large, "a", "bb", Which::All, EditError::TooLarge),
        ] {
            assert_eq!(edit(text, old, new, which), Err(error));
        }
        let many = edit(&"x\n".repeat(12), "x", "y", Which::Only).unwrap_err();
        assert!(
            many.to_string()
                .contains("lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …")
        );
    }

    proptest! {
        #[test]
        fn replacing_in_a_crlf_file_is_replacing_in_its_lf_twin(
            text in "[ab\n]{0,12}", old in "[ab\n]{1,3}", new in "[ab\n]{0,3}"
        ) {
            let crlf = |text: &str| text.replace('\n', "\r\n");
            let lf = edit(&text, &old, &new, Which::All);
            // Without a line end there is nothing to tell what the file's are.
            prop_assume!(text.contains('\n'));
            let twin = edit(&crlf(&text), &old, &new, Which::All);
            prop_assert_eq!(twin, lf.map(|(text, count)| (crlf(&text), count)));
        }
    }
}
