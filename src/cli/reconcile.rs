use clap::{Args, ValueEnum};
use serde_json::json;

use super::failure::{Exit, Failure};
use super::output::{plain, say};
use super::place::Place;
use crate::domain::{Digest, EffectId, FoundOutcome, IdempotencyKey};
use crate::protocol::{ACTOR_LIMIT, NOTE_LIMIT};
use crate::server::view;
use crate::store::{Claim, Outcome, Reconcile as Found};

/// Record what became of an effect of unknown outcome
#[derive(Args)]
#[command(
    after_help = "Example:\n  threadkeep reconcile EFFECT --outcome happened --note \"the tag is on the server\"\n\n\
    It is said once. The evidence of the turn stays as it was; who, when and why are an event,\n\
    and the model is told in the thread's next turn."
)]
pub(super) struct Reconcile {
    /// The effect, as `threadkeep effects` names it
    effect: EffectId,
    /// happened or did-not-happen
    #[arg(long, value_name = "OUTCOME", hide_possible_values = true)]
    outcome: Said,
    /// How that was found out
    #[arg(long, value_name = "TEXT", value_parser = note)]
    note: String,
    /// Who found out [default: the user's name]
    #[arg(long, value_name = "NAME", value_parser = actor)]
    by: Option<String>,
    /// Do this once, however often it is called with this key
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<IdempotencyKey>,
    /// The effect as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Said {
    Happened,
    #[value(alias = "did_not_happen")]
    DidNotHappen,
}

impl Reconcile {
    pub async fn run(self) -> Result<Exit, Failure> {
        let store = self.place.open().await?;
        let outcome = match self.outcome {
            Said::Happened => FoundOutcome::Happened,
            Said::DidNotHappen => FoundOutcome::DidNotHappen,
        };
        let actor = self.by.unwrap_or_else(user);
        let asked =
            json!({ "effect": self.effect, "outcome": outcome, "note": self.note, "by": actor });
        let found = Found {
            effect: self.effect,
            outcome,
            actor,
            note: self.note,
            claim: self.idempotency_key.map(|key| Claim {
                method: "reconcile".to_owned(),
                key,
                digest: Digest::of(asked.to_string().as_bytes()),
            }),
        };
        let done = store.reconcile(found).await;
        store.close().await;
        let done = done?;
        let again = matches!(done, Outcome::Repeated(_));
        let effect = done.into_inner();
        if self.json {
            say(&json!(view::effect(&effect)).to_string());
        } else {
            let when = if again {
                "was already recorded as"
            } else {
                "is recorded as"
            };
            say(&plain(&format!(
                "{} {when} {}: {}",
                effect.id, effect.state, effect.target
            )));
        }
        Ok(Exit::Done)
    }
}

/// The name of whoever types this, as the environment has it.
fn user() -> String {
    let named = ["USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok());
    named
        .and_then(|name| actor(&name).ok())
        .unwrap_or_else(|| format!("uid {}", rustix::process::geteuid().as_raw()))
}

fn actor(text: &str) -> Result<String, String> {
    said(text, ACTOR_LIMIT)
}

fn note(text: &str) -> Result<String, String> {
    said(text, NOTE_LIMIT)
}

fn said(text: &str, limit: usize) -> Result<String, String> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > limit {
        return Err(format!("say it in 1 to {limit} characters, not {length}"));
    }
    Ok(text.to_owned())
}
