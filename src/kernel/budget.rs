use std::time::Duration;

use serde::Serialize;

/// How much a turn may do before it ends `budget_exhausted`. Answers and tokens are
/// looked at before the next answer; when the time is up, what runs is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Answers of the model.
    pub answers: u32,
    /// Time from its start.
    pub wall_time: Option<Duration>,
    /// Tokens written. An answer of unknown size spends it whole.
    pub output_tokens: Option<u64>,
}

impl Default for Budget {
    /// 200 answers, and as long as it takes.
    fn default() -> Self {
        Self {
            answers: 200,
            wall_time: None,
            output_tokens: None,
        }
    }
}

impl Budget {
    /// That a turn had all its time.
    pub(super) fn time_spent(most: Duration) -> String {
        format!("the turn had its {} s", most.as_secs_f64())
    }

    /// Which budget is spent, if one is. `written` is `None` when what the
    /// answers wrote is unknown; before the first it is nothing.
    pub(super) fn spent(
        &self,
        answers: u32,
        elapsed: Duration,
        written: Option<u64>,
    ) -> Option<String> {
        if answers >= self.answers {
            return Some(format!("the turn had its {} answers", self.answers));
        }
        if let Some(most) = self.wall_time.filter(|most| elapsed >= *most) {
            return Some(Self::time_spent(most));
        }
        match (self.output_tokens, written) {
            (Some(most), Some(tokens)) if tokens >= most => Some(format!(
                "the turn wrote {tokens} tokens, {most} were allowed"
            )),
            (Some(_), None) => Some(
                "how many tokens the turn wrote is unknown, and a limit is set for them".to_owned(),
            ),
            _ => None,
        }
    }
}
