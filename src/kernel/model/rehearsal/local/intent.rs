//! What a user wants, told from a few words.

use super::command::Command;

/// The most words looked up for one question.
const WORD_LIMIT: usize = 3;

/// The shortest word worth looking up.
const WORD_MIN: usize = 3;

/// What to do about a user message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Intent {
    /// One of the few commands this model knows.
    Do(Command),
    /// Tell what the workspace is.
    Overview,
    /// Answer with the lines in which these words occur.
    Find(Vec<String>),
    /// Nothing it can do.
    Unknown,
}

impl Intent {
    pub(super) fn of(question: &str) -> Self {
        if let Some(command) = Command::parse(question) {
            return Self::Do(command);
        }
        let words = words(question);
        if is_overview(&words) {
            return Self::Overview;
        }
        let wanted = wanted(question, &words);
        if is_question(question, &words) && !wanted.is_empty() {
            return Self::Find(wanted);
        }
        Self::Unknown
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')))
        .map(|word| word.trim_matches(['.', '-', '/']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

fn is_overview(words: &[String]) -> bool {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let asks = has(&[
        "what",
        "what's",
        "describe",
        "summarize",
        "summarise",
        "overview",
        "explain",
        "tell",
        "show",
        "about",
    ]);
    let the_whole = has(&[
        "repository",
        "repo",
        "project",
        "codebase",
        "workspace",
        "folder",
        "directory",
        "here",
    ]);
    let narrow = words.iter().filter(|word| is_telling(word)).count();
    asks && the_whole && narrow == 0
}

fn is_question(question: &str, words: &[String]) -> bool {
    question.ends_with('?')
        || words.first().is_some_and(|first| {
            [
                "what", "where", "who", "how", "which", "why", "when", "is", "are", "does", "do",
                "can", "find", "explain", "tell", "show",
            ]
            .contains(&first.as_str())
        })
}

/// What is looked up: what stands in backquotes, or else the telling words.
fn wanted(question: &str, words: &[String]) -> Vec<String> {
    let quoted = question.split('`').skip(1).step_by(2).map(str::to_owned);
    let mut wanted: Vec<String> = quoted.filter(|word| !word.trim().is_empty()).collect();
    if wanted.is_empty() {
        wanted = words
            .iter()
            .filter(|word| is_telling(word))
            .cloned()
            .collect();
    }
    let mut seen = Vec::new();
    wanted.retain(|word| {
        !seen.contains(word) && {
            seen.push(word.clone());
            true
        }
    });
    wanted.truncate(WORD_LIMIT);
    wanted
}

fn is_telling(word: &str) -> bool {
    word.chars().count() >= WORD_MIN && !COMMON.contains(&word)
}

/// Words that say nothing about what is looked for.
const COMMON: &[&str] = &[
    "about",
    "after",
    "all",
    "and",
    "any",
    "are",
    "before",
    "can",
    "codebase",
    "contain",
    "contains",
    "could",
    "describe",
    "did",
    "directory",
    "does",
    "each",
    "explain",
    "file",
    "files",
    "find",
    "folder",
    "for",
    "from",
    "give",
    "has",
    "have",
    "here",
    "how",
    "inside",
    "into",
    "its",
    "know",
    "like",
    "list",
    "look",
    "made",
    "make",
    "many",
    "mean",
    "out",
    "overview",
    "please",
    "project",
    "repo",
    "repository",
    "say",
    "says",
    "should",
    "show",
    "some",
    "summarise",
    "summarize",
    "tell",
    "that",
    "the",
    "their",
    "them",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "used",
    "uses",
    "using",
    "was",
    "what",
    "what's",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "work",
    "works",
    "workspace",
    "would",
    "you",
    "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn find(words: &[&str]) -> Intent {
        Intent::Find(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn intents_follow_from_the_words() {
        let cases = [
            ("what is in this repository?", Intent::Overview),
            ("What's this project about?", Intent::Overview),
            ("describe the codebase", Intent::Overview),
            (
                "where is the hash chain verified?",
                find(&["hash", "chain", "verified"]),
            ),
            ("What does `append_event` do?", find(&["append_event"])),
            ("who calls who?", find(&["calls"])),
            ("what in this repository uses sqlite?", find(&["sqlite"])),
            ("make it faster", Intent::Unknown),
            ("hello", Intent::Unknown),
            ("why?", Intent::Unknown),
        ];
        for (question, intent) in cases {
            assert_eq!(Intent::of(question), intent, "{question}");
        }
    }
}
