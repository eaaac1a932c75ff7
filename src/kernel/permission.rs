//! What may happen without asking, what must be asked, and what may not happen at all.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::kernel::tool::Grant;

/// How acts are permitted. Ordered from the widest to the narrowest: an entry may only narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// Reading is free; writing and running programs is asked, unless a rule allows it.
    #[default]
    Default,
    /// The same, and no rule and no lasting grant counts: every act is asked.
    Manual,
    /// What would be asked is refused.
    DontAsk,
    /// Writing and running programs is refused.
    Plan,
}

impl PermissionMode {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Default, Self::Manual, Self::DontAsk, Self::Plan];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Manual => "manual",
            Self::DontAsk => "dontAsk",
            Self::Plan => "plan",
        }
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no permission mode.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a permission mode is default, manual, dontAsk or plan, not {0:?}")]
pub struct UnknownMode(String);

impl FromStr for PermissionMode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.as_str() == text)
            .ok_or_else(|| UnknownMode(text.chars().take(80).collect()))
    }
}

/// What the person who started the process allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Permissions {
    /// The widest mode a turn may have.
    pub mode: PermissionMode,
    /// Acts allowed without asking in the modes `default` and `dontAsk`. Compared to the letter.
    pub allow: Vec<AllowRule>,
}

/// One thing that is allowed without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum AllowRule {
    /// Every act of a kind: `fs.write` or `process.exec`.
    Capability(String),
    /// Exactly one act.
    Act(Grant),
}
