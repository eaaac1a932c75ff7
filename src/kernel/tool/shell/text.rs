//! Bytes of a program as text for a model: escapes gone, nothing invisible, cut in the middle.

use std::fmt::Write as _;

/// Bytes an escape sequence that carries a text (a title, a link) may be long. Longer is taken for
/// text, so that one stray escape cannot hide the rest.
const STRING_LIMIT: usize = 4_096;

/// What stands for a byte that cannot be shown.
const UNSHOWN: char = char::REPLACEMENT_CHARACTER;

/// Output as a model reads it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub text: String,
    /// It is all of the output, byte for byte.
    pub faithful: bool,
}

/// A character to show, and where its bytes are.
#[derive(Clone, Copy)]
struct Shown {
    start: usize,
    end: usize,
    char: char,
}

/// Shows output of `total` bytes, of which `head` are the first and `tail` the last, in at most
/// `room` bytes and one line more.
pub(super) fn excerpt(head: &[u8], tail: &[u8], total: u64, room: usize) -> Excerpt {
    if head.len() as u64 + tail.len() as u64 == total {
        let all = [head, tail].concat();
        let text: String = shown(&all).map(|shown| shown.char).collect();
        if text.len() <= room {
            return Excerpt {
                faithful: text.as_bytes() == all,
                text,
            };
        }
        return cut(&all, &all, total, room);
    }
    cut(head, tail, total, room)
}

fn cut(head: &[u8], tail: &[u8], total: u64, room: usize) -> Excerpt {
    let (mut text, front_end) = front(head, room / 2);
    let (back, back_start) = back(tail, room / 2);
    let omitted = total - front_end as u64 - (tail.len() - back_start) as u64;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    // Writing to a `String` cannot fail.
    let _ = write!(text, "[… {omitted} of {total} bytes left out …]\n{back}");
    Excerpt {
        text,
        faithful: false,
    }
}

/// The beginning in at most `room` bytes of text, and how many bytes it shows.
fn front(bytes: &[u8], room: usize) -> (String, usize) {
    let mut text = String::new();
    let mut end = 0;
    for shown in shown(bytes) {
        if text.len() + shown.char.len_utf8() > room {
            break;
        }
        text.push(shown.char);
        end = shown.end;
    }
    (text, end)
}

/// The end in at most `room` bytes of text, and where it begins.
fn back(bytes: &[u8], room: usize) -> (String, usize) {
    let all: Vec<Shown> = shown(bytes).collect();
    let mut size = 0;
    let fits = |shown: &&Shown| {
        size += shown.char.len_utf8();
        size <= room
    };
    let count = all.iter().rev().take_while(fits).count();
    let back = &all[all.len() - count..];
    let start = back.first().map_or(bytes.len(), |shown| shown.start);
    (back.iter().map(|shown| shown.char).collect(), start)
}

fn shown(bytes: &[u8]) -> impl Iterator<Item = Shown> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at) == Some(&0x1b) {
            at += escape_length(&bytes[at..]);
        }
        let start = at;
        let (char, length) = first_char(bytes.get(at..).filter(|rest| !rest.is_empty())?);
        at += length;
        Some(Shown {
            start,
            end: at,
            char,
        })
    })
}

fn first_char(bytes: &[u8]) -> (char, usize) {
    let window = &bytes[..bytes.len().min(4)];
    let Some(chunk) = window.utf8_chunks().next() else {
        return (UNSHOWN, 1);
    };
    match chunk.valid().chars().next() {
        Some(char @ ('\n' | '\r' | '\t')) => (char, 1),
        Some(char) if char.is_control() => (UNSHOWN, char.len_utf8()),
        Some(char) => (char, char.len_utf8()),
        None => (UNSHOWN, chunk.invalid().len().max(1)),
    }
}

/// How long the escape sequence (ECMA-48) at the start of `bytes` is; 1 when it is none.
fn escape_length(bytes: &[u8]) -> usize {
    let length = match bytes.get(1) {
        Some(b'[') => control_length(bytes),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => string_length(bytes),
        Some(0x20..=0x2f) => finished(bytes, 1, 0x30..=0x7e),
        Some(0x30..=0x7e) => Some(2),
        _ => None,
    };
    length.unwrap_or(1)
}

/// `ESC [`, parameters, and what [`finished`] reads.
fn control_length(bytes: &[u8]) -> Option<usize> {
    let parameters = run(&bytes[2..], 0x30..=0x3f);
    finished(bytes, 2 + parameters, 0x40..=0x7e)
}

/// Intermediate bytes from `at` on and one final byte.
fn finished(bytes: &[u8], at: usize, last: std::ops::RangeInclusive<u8>) -> Option<usize> {
    let at = at + run(&bytes[at..], 0x20..=0x2f);
    bytes.get(at).filter(|byte| last.contains(byte))?;
    Some(at + 1)
}

fn run(bytes: &[u8], of: std::ops::RangeInclusive<u8>) -> usize {
    bytes.iter().take_while(|byte| of.contains(byte)).count()
}

/// A text on one line that ends with BEL or `ESC \`.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let window = &bytes[2..bytes.len().min(STRING_LIMIT)];
    let end = window
        .iter()
        .position(|byte| matches!(byte, 0x07 | 0x1b | b'\n'))?;
    match (window[end], window.get(end + 1)) {
        (0x07, _) => Some(2 + end + 1),
        (0x1b, Some(b'\\')) => Some(2 + end + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
