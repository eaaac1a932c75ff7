//! The one place that writes to standard output and standard error.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether some of the output was lost though somebody may have waited for it.
static LOST: AtomicBool = AtomicBool::new(false);

/// What came of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// Still there.
    There,
    /// Gone; more need not be written.
    Gone,
}

/// Writes text to standard output at once. A reader that went away has seen enough.
pub(super) fn print(text: &str) -> Reader {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Reader::There,
        Err(error) => {
            let first =
                error.kind() != io::ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed);
            if first {
                complain(&format!("the output cannot be written: {error}"));
            }
            Reader::Gone
        }
    }
}

/// Whether output was lost otherwise than to a reader that had seen enough.
pub(super) fn lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Writes a line to standard output.
pub(super) fn say(line: &str) -> Reader {
    print(&format!("{line}\n"))
}

/// Writes a line to standard error. When nobody reads it there is nobody to tell.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Says on standard error why a command could not be carried out.
pub(super) fn complain(message: &str) {
    note(&format!("threadkeep: {}", plain(message)));
}

/// Text out of the ledger as a terminal may see it: line breaks and tabs stay, every other control
/// character is shown instead of obeyed.
pub(super) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if c.is_control() || is_bidi(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The same on one line, its words one space apart, cut to `width` characters.
pub(super) fn one_line(text: &str, width: usize) -> String {
    // More words than are shown need not be joined.
    let mut words = text.split_whitespace();
    let mut line = words.next().unwrap_or_default().to_owned();
    for word in words {
        line.push(' ');
        line.push_str(word);
        if line.len() > width * 4 {
            break;
        }
    }
    cut_line(&line, width)
}

/// The same on one line with every space it has, cut to `width` characters.
pub(super) fn cut_line(text: &str, width: usize) -> String {
    let shown = text
        .char_indices()
        .nth(width)
        .map_or(text.len(), |(at, _)| at);
    let line = plain(&text[..shown]).replace(['\n', '\t'], " ");
    if shown == text.len() {
        return line.trim_end().to_owned();
    }
    let kept: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Characters that turn the direction of the text after them.
const fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_out_of_the_ledger() {
        assert_eq!(
            plain("a\u{1b}[2Jb\r\nc\u{202e}d"),
            "a\u{fffd}[2Jb\u{fffd}\nc\u{fffd}d"
        );
        assert_eq!(one_line("a\n b\tc", 10), "a b c");
        assert_eq!(one_line(&"x".repeat(50), 5), "xxxx…");
        assert_eq!(cut_line("rm  -r\ta\n", 20), "rm  -r a");
    }
}
