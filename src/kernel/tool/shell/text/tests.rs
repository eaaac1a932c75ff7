use proptest::prelude::*;

use super::*;

fn all(bytes: &[u8]) -> Excerpt {
    excerpt(bytes, b"", bytes.len() as u64, 100_000)
}

#[test]
fn escapes_are_gone_and_what_cannot_be_shown_is_marked() {
    for (raw, shown) in [
        (&b"\x1b[1;31mred\x1b[0m"[..], "red"),
        (b"\x1b[?25l\x1b[2Kx\x1b[ q", "x"),
        (b"\x1b]0;title\x07x", "x"),
        (b"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bPq#0\x1b\\x\x1b(B\x1b=\x1b7", "x"),
        (
            b"a\0b\x07c\x7f\xc2\x9bd",
            "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}d",
        ),
        (
            b"caf\xe9 \xff\xfe \xe2\x82",
            "caf\u{fffd} \u{fffd}\u{fffd} \u{fffd}",
        ),
        (b"\xe2\x82\xac\xf0\x9f\x98\x80", "\u{20ac}\u{1f600}"),
        (b"ends \x1b", "ends "),
        (b"ends \x1b[12;", "ends [12;"),
    ] {
        let excerpt = all(raw);
        assert_eq!(excerpt.text, shown, "{}", raw.escape_ascii());
        assert_eq!(excerpt.faithful, raw == shown.as_bytes());
    }
}

#[test]
fn plain_text_is_shown_as_it_is() {
    let plain = "tab\tline\r\nünïcode \u{1f600} no last newline";
    let expected = Excerpt {
        text: plain.to_owned(),
        faithful: true,
    };
    assert_eq!(all(plain.as_bytes()), expected);
    assert_eq!(all(b"").text, "");
}

#[test]
fn an_escape_that_never_ends_hides_nothing() {
    for start in ["\x1b]0;", "\x1bP", "\x1bX", "\x1b^", "\x1b_"] {
        let endless = format!("{start}{}", "secret ".repeat(1_000));
        assert!(all(endless.as_bytes()).text.contains("secret secret"));
        let next_line = format!("{start}title\nsecret\x07");
        assert!(all(next_line.as_bytes()).text.contains("secret"));
    }
}

/// Bytes that hold what is special here, often.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-z\n]{1,9}".prop_map(String::into_bytes),
        any::<u8>().prop_map(|byte| vec![byte]),
        Just(b"\x1b[31m".to_vec()),
        Just(b"\x1b]0;t\x07".to_vec()),
        Just("€😀".as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_left_out_is_counted_to_the_byte(bytes in output(), room in 8_usize..80, ends in 20_usize..200) {
        let total = bytes.len() as u64;
        let (head, rest) = bytes.split_at(ends.min(bytes.len()));
        let tail = &rest[rest.len().saturating_sub(ends)..];
        let excerpt = excerpt(head, tail, total, room);
        prop_assert!(excerpt.text.len() <= room + 80);
        let Some((front, rest)) = excerpt.text.split_once("[… ") else {
            prop_assert!(excerpt.text.len() <= room);
            return Ok(());
        };
        prop_assert!(!excerpt.faithful);
        let (count, back) = rest.split_once(" left out …]\n").unwrap();
        let omitted: usize = count.split(' ').next().unwrap().parse().unwrap();
        let of = format!(" of {total} bytes");
        prop_assert!(count.ends_with(&of));
        // The raw bytes before and after the gap, shown alone, are the text around it.
        let front = front.strip_suffix('\n').unwrap();
        let fits = (0..=bytes.len() - omitted).any(|end| {
            let (before, after) = (&bytes[..end], &bytes[end + omitted..]);
            all(before).text.trim_end_matches('\n') == front.trim_end_matches('\n') && all(after).text == back
        });
        prop_assert!(fits, "{front:?} {omitted} {back:?}");
    }
}
