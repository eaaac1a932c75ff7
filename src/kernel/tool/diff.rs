//! What a change looks like, for the one who approves it.

use std::fmt::{self, Write};
use std::time::Duration;

use similar::TextDiff;

/// The most bytes of a diff that are kept.
pub(super) const DIFF_LIMIT: usize = 64 * 1024;

/// How long the shortest diff is looked for; after that a longer one does.
const DIFF_TIME: Duration = Duration::from_millis(300);

/// The beginning of a text.
#[derive(Default)]
pub(super) struct Beginning {
    pub(super) text: String,
    /// How much does not fit.
    pub(super) left_out: usize,
}

impl Write for Beginning {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        // What comes after something that was left out is left out too.
        let room = if self.left_out == 0 {
            DIFF_LIMIT - self.text.len()
        } else {
            0
        };
        let (kept, rest) = piece.split_at(piece.floor_char_boundary(room));
        self.text.push_str(kept);
        self.left_out += rest.len();
        Ok(())
    }
}

/// The unified diff from `old` to `new`.
pub(super) fn unified(path: &str, old: &str, new: &str) -> Beginning {
    let diff = TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(old, new);
    let mut unified = diff.unified_diff();
    unified.header(&format!("a/{path}"), &format!("b/{path}"));
    let mut beginning = Beginning::default();
    // A `Beginning` takes everything.
    let _ = write!(beginning, "{unified}");
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_what_changes_and_a_missing_last_newline() {
        let diff = unified("a.txt", "one\ntwo\nthree", "one\n2\nthree");
        assert_eq!(diff.left_out, 0);
        assert_eq!(
            diff.text,
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_long_diff_is_cut_and_what_is_left_out_is_counted() {
        let new = "é\n".repeat(DIFF_LIMIT);
        let whole = TextDiff::from_lines("", &new)
            .unified_diff()
            .header("a/x", "b/x")
            .to_string();
        let diff = unified("x", "", &new);
        assert!(diff.text.len() > DIFF_LIMIT - 4 && whole.starts_with(&diff.text));
        assert_eq!(diff.text.len() + diff.left_out, whole.len());
    }
}
