use std::path::Path;

/// Commit of the git work tree that holds `workspace`.
pub(super) fn head_commit(_workspace: &Path) -> Option<String> {
    None
}
