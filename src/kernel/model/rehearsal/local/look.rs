//! Asking for text and making sense of what tools print, whatever their exact layout.

use serde_json::{Value, json};

/// The most lines of a tool's output repeated in an answer.
const LINE_LIMIT: usize = 40;

/// The most characters of a line repeated in an answer.
const WIDTH_LIMIT: usize = 200;

/// Arguments of `grep` for `text` as it stands, in any case.
pub(super) fn pattern(text: &str) -> Value {
    let mut pattern = String::from("(?i)");
    for c in text.chars() {
        if c.is_ascii_punctuation() && c != '_' {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    json!({ "pattern": pattern })
}

/// The beginning of `text`, with what is left out said.
pub(super) fn excerpt(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = lines
        .iter()
        .take(LINE_LIMIT)
        .map(|line| cut(line))
        .collect();
    if lines.len() > LINE_LIMIT {
        shown.push(format!("… and {} more lines", lines.len() - LINE_LIMIT));
    }
    shown.join("\n")
}

/// `line`, shortened when it is long.
pub(super) fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH_LIMIT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// The names a directory listing holds, one a line, directories with a `/` at their end.
pub(super) fn names(listing: &str) -> Vec<&str> {
    listing
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let is_name = |word: &&str| word.contains(|c: char| c.is_alphanumeric());
            // A listing may put sizes or kinds beside the name; the name is the word that is not
            // a number or a kind.
            words.find(|word| is_name(word) && !is_beside(word))
        })
        .collect()
}

fn is_beside(word: &str) -> bool {
    [
        "dir",
        "file",
        "link",
        "symlink",
        "directory",
        "bytes",
        "kb",
        "mb",
    ]
    .contains(&word.to_lowercase().as_str())
        || word.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// `text` without the line numbers a reading tool may put before each line.
pub(super) fn without_line_numbers(text: &str) -> Vec<&str> {
    text.lines().map(without_line_number).collect()
}

fn without_line_number(line: &str) -> &str {
    let rest = line.trim_start_matches(' ');
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if after.len() == rest.len() {
        return line;
    }
    ['\t', '→', '|', ':']
        .iter()
        .find_map(|mark| after.strip_prefix(*mark))
        .unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_understood_in_several_layouts() {
        let wanted = vec!["Cargo.toml", "src/", "README.md"];
        for listing in [
            "Cargo.toml\nsrc/\nREADME.md\n",
            "Cargo.toml 120\nsrc/\nREADME.md 7 bytes",
            "file Cargo.toml\ndir src/\nfile README.md",
            "  120 Cargo.toml\n    - src/\n    7 README.md",
        ] {
            assert_eq!(names(listing), wanted, "{listing}");
        }
    }

    #[test]
    fn line_numbers_are_taken_off() {
        let numbered = "     1\t# Title\n2→text\n 3| 4 apples\nplain";
        assert_eq!(
            without_line_numbers(numbered),
            ["# Title", "text", " 4 apples", "plain"]
        );
    }

    #[test]
    fn a_pattern_matches_the_text_literally() {
        assert_eq!(pattern("a.b_c(")["pattern"], "(?i)a\\.b_c\\(");
    }
}
