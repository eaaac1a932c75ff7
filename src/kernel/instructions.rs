use std::path::Path;

/// What the project's AGENTS.md files say.
pub(super) fn instructions(_workspace: &Path) -> String {
    String::new()
}
