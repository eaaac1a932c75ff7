//! What the model says when it cannot do what it is asked.

use super::turn::Turn;

/// What it can do with the tools it was offered.
pub(super) fn text(turn: &Turn<'_>) -> String {
    let commands = [
        ("list_dir", "`list [PATH]`"),
        ("read_file", "`read PATH`"),
        ("glob", "`files PATTERN`"),
        ("grep", "`search TEXT`"),
        ("write_file", "`write PATH: CONTENT`"),
        ("edit_file", "`replace OLD with NEW in PATH`"),
        ("shell", "`run COMMAND`"),
    ];
    let known: Vec<&str> = commands
        .iter()
        .filter(|(tool, _)| turn.offers(tool))
        .map(|(_, command)| *command)
        .collect();
    if known.is_empty() {
        return "I can do nothing here: I was offered no tool that I know.".to_owned();
    }
    format!(
        "I cannot do that: I understand no sentences. I can look around (ask \"what is in this \
         repository?\"), look words up (ask \"where is WORD used?\") and do exactly this: {}. For \
         anything else choose a language model, for example `--model anthropic/…`, `openai/…` or \
         `ollama/…`.",
        known.join(", ")
    )
}
