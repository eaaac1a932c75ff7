use std::sync::LazyLock;

use serde::Serialize;

/// A canned question, read from the comment its file opens with: a line that is the title, the
/// question, an empty line, and a line for each column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    /// What it is asked by.
    pub name: &'static str,
    /// What its answer shows, in a few words.
    pub title: &'static str,
    /// The question.
    pub question: String,
    /// The columns of its answer.
    pub columns: Vec<Column>,
    /// The file: comment and statement.
    #[serde(skip)]
    pub sql: &'static str,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub meaning: &'static str,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../queries/audit/", $name, ".sql")))),*]
    };
}

static QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| {
    files![
        "approvals",
        "commands",
        "commits_per_day",
        "conversation",
        "errors",
        "evidence",
        "failed_commands",
        "file_writes",
        "files",
        "forks",
        "head",
        "idempotent_requests",
        "interrupted_turns",
        "lasting_grants",
        "longest_turns",
        "models",
        "open_turns",
        "recent_turns",
        "reconciled_effects",
        "refused_approvals",
        "slow_approvals",
        "slowest_tools",
        "threads",
        "tokens_by_model_and_day",
        "tool_decisions",
        "unasked_changes",
        "unknown_effects",
        "unsuccessful_turns",
        "workspaces",
    ]
    .into_iter()
    .map(|(name, sql)| read(name, sql))
    .collect()
});

/// The canned questions, by name.
pub fn questions() -> &'static [Question] {
    &QUESTIONS
}

/// The question of that name.
pub fn question(name: &str) -> Option<&'static Question> {
    questions().iter().find(|question| question.name == name)
}

fn read(name: &'static str, sql: &'static str) -> Question {
    let mut comment = sql.lines().map_while(|line| line.strip_prefix("--"));
    let title = comment.next().unwrap_or_default().trim();
    let question: Vec<_> = comment
        .by_ref()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let columns = comment.filter_map(|line| line.split_once(": "));
    Question {
        name,
        title,
        question: question.join(" "),
        columns: columns
            .map(|(name, meaning)| Column {
                name: name.trim(),
                meaning: meaning.trim(),
            })
            .collect(),
        sql,
    }
}
