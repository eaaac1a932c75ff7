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

/// What the rules say of an act that can change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permitted {
    /// It may happen.
    Allowed,
    /// It may happen once somebody says so; a lasting grant counts.
    AskUnlessGranted,
    /// It may happen once somebody says so, each time anew.
    AskAgain,
    /// It may not happen; the text tells the model why.
    Refused(&'static str),
}

impl Permissions {
    /// What the rules say of an act that can change something. Reading is never asked about.
    pub(super) fn permit(&self, grant: &Grant) -> Permitted {
        match self.mode {
            PermissionMode::Plan => {
                Permitted::Refused("not run: in plan mode nothing is changed and no program is run")
            }
            PermissionMode::Manual => Permitted::AskAgain,
            PermissionMode::Default | PermissionMode::DontAsk if self.allows(grant) => {
                Permitted::Allowed
            }
            PermissionMode::Default => Permitted::AskUnlessGranted,
            PermissionMode::DontAsk => {
                Permitted::Refused("not run: no rule allows it, and this session does not ask")
            }
        }
    }

    fn allows(&self, grant: &Grant) -> bool {
        self.allow.iter().any(|rule| match rule {
            AllowRule::Capability(capability) => *capability == grant.capability,
            AllowRule::Act(act) => act == grant,
        })
    }

    /// The same in a narrower mode. Where every act is asked no rule counts, and none begins to
    /// count when the asking ends.
    pub(super) fn narrowed(&self, mode: PermissionMode) -> Self {
        let allow = match self.mode {
            PermissionMode::Manual => Vec::new(),
            _ => self.allow.clone(),
        };
        Self {
            mode: self.mode.max(mode),
            allow,
        }
    }
}
