use clap::Args;

use super::failure::{Exit, Failure};
use super::output::{cut_line, note, say};
use super::place::{self, Place};
use super::table::table;
use crate::domain::{EffectState, TurnId};
use crate::server::view;
use crate::store::EffectFilter;

/// Columns a target may fill.
const TARGET: usize = 60;

/// List the changes made outside the ledger, the newest first
#[derive(Args)]
#[command(after_help = "Example:\n  threadkeep effects --state unknown\n\n\
    An unknown one may have happened in whole or in part: its process was killed, or gave no\n\
    receipt. Find out, then say so with `threadkeep reconcile`.")]
pub(super) struct Effects {
    /// Only those of a thread
    #[arg(long, value_name = "ID")]
    thread: Option<String>,
    /// Only those of a turn
    #[arg(long, value_name = "ID")]
    turn: Option<TurnId>,
    /// Only those in a state, for example unknown
    #[arg(long, value_name = "STATE")]
    state: Option<EffectState>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// As JSON, an object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

impl Effects {
    pub async fn run(self) -> Result<Exit, Failure> {
        let store = self.place.read().await?;
        let thread = match &self.thread {
            Some(name) => Some(place::thread(&store, name).await?),
            None => None,
        };
        let filter = EffectFilter {
            thread,
            turn: self.turn,
            state: self.state,
            limit: self.limit,
        };
        let effects = store.effects(&filter).await?;
        if self.json {
            for effect in &effects {
                say(&serde_json::json!(view::effect(effect)).to_string());
            }
            return Ok(Exit::Done);
        }
        if effects.is_empty() {
            note("there are no such effects");
            return Ok(Exit::Done);
        }
        let rows = effects.iter().map(|effect| {
            vec![
                effect.id.to_string(),
                effect.state.to_string(),
                effect.created_at.to_string(),
                effect.kind.clone(),
                cut_line(&effect.target, TARGET),
            ]
        });
        say(&table(
            &["EFFECT", "STATE", "BEGUN", "KIND", "TARGET"],
            rows,
        ));
        Ok(Exit::Done)
    }
}
