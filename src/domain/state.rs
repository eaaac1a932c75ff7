use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that names no state of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {kind}")]
pub struct UnknownState {
    kind: &'static str,
    text: String,
}

macro_rules! states {
    ($(#[$doc:meta])* $name:ident, $kind:literal { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// The name used on the wire and in the store.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownState;

            fn from_str(text: &str) -> Result<Self, UnknownState> {
                match text {
                    $($text => Ok(Self::$variant),)*
                    _ => Err(UnknownState { kind: $kind, text: text.chars().take(80).collect() }),
                }
            }
        }
    };
}

states!(
    /// What a thread is doing.
    ThreadStatus, "thread status" {
        /// A turn runs.
        Active = "active",
        /// No turn runs.
        Idle = "idle",
        /// Hidden by default; takes no turn.
        Archived = "archived",
    }
);

states!(
    /// Where a turn is on its way. Queued and running lead to exactly one terminal state.
    TurnStatus, "turn status" {
        /// Admitted, not yet at work.
        Queued = "queued",
        /// At work.
        Running = "running",
        /// Waits for a person or policy to decide about an operation.
        WaitingApproval = "waiting_approval",
        /// Waits for a person to answer a question.
        WaitingInput = "waiting_input",
        /// Ended as asked. Terminal.
        Completed = "completed",
        /// Ended by an error, a refusal or a spent budget. Terminal.
        Failed = "failed",
        /// Ended because it was told to stop or its owner died. Terminal.
        Interrupted = "interrupted",
    }
);

states!(
    /// What an item is.
    ItemKind, "item kind" {
        /// What the user said.
        UserMessage = "user_message",
        /// What the model said.
        AssistantMessage = "assistant_message",
        /// What the model thought aloud.
        Reasoning = "reasoning",
        /// One tool call and its result.
        Tool = "tool",
        /// An approval asked and answered.
        Approval = "approval",
        /// A plan.
        Plan = "plan",
        /// Work of a subagent.
        Subagent = "subagent",
        /// Something produced.
        Artifact = "artifact",
        /// Something that went wrong.
        Error = "error",
    }
);

states!(
    /// Where an item is on its way.
    ItemStatus, "item status" {
        /// Begun.
        Started = "started",
        /// Its content arrives in deltas.
        Streaming = "streaming",
        /// Whole. Terminal.
        Completed = "completed",
        /// Ended by an error. Terminal.
        Failed = "failed",
        /// Ended before it was whole. Terminal.
        Cancelled = "cancelled",
    }
);

states!(
    /// What the terminal evidence of a turn says of its outcome.
    EvidenceStatus, "evidence status" {
        /// The turn completed.
        Succeeded = "succeeded",
        /// The turn failed.
        Failed = "failed",
        /// Some of it happened and some is unknown.
        Partial = "partial",
        /// The turn was interrupted and everything it did is known.
        Cancelled = "cancelled",
        /// A refused approval ended the turn.
        Blocked = "blocked",
        /// A budget was spent.
        BudgetExhausted = "budget_exhausted",
    }
);

states!(
    /// What is recorded of a change outside the ledger.
    EffectState, "effect state" {
        /// About to be tried; no receipt yet.
        Intended = "intended",
        /// It happened.
        Happened = "happened",
        /// Nothing of it happened.
        DidNotHappen = "did_not_happen",
        /// Some of it may have happened.
        Unknown = "unknown",
    }
);

states!(
    /// What somebody found out about an effect of unknown outcome.
    FoundOutcome, "outcome; happened and did_not_happen are" {
        /// It happened.
        Happened = "happened",
        /// Nothing of it happened.
        DidNotHappen = "did_not_happen",
    }
);

impl TurnStatus {
    /// True for the states that nothing leaves.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Interrupted)
    }

    /// True when a turn in this state may go to `next`.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Queued => matches!(next, Self::Running) || next.is_terminal(),
            Self::Running => {
                matches!(next, Self::WaitingApproval | Self::WaitingInput) || next.is_terminal()
            }
            Self::WaitingApproval | Self::WaitingInput => {
                matches!(next, Self::Running) || next.is_terminal()
            }
            Self::Completed | Self::Failed | Self::Interrupted => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_a_terminal_state() {
        use TurnStatus::{
            Completed, Failed, Interrupted, Queued, Running, WaitingApproval, WaitingInput,
        };
        let all = [
            Queued,
            Running,
            WaitingApproval,
            WaitingInput,
            Completed,
            Failed,
            Interrupted,
        ];
        for from in all {
            for to in all {
                assert!(
                    !(from.is_terminal() && from.may_become(to)),
                    "{from} -> {to}"
                );
            }
            assert!(!from.may_become(Queued) && !from.may_become(from));
            assert_eq!(from.as_str().parse(), Ok(from));
        }
    }
}
