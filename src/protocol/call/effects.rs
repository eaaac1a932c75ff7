use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Once, canonical, invalid, once, typed, within};
use crate::domain::{EffectId, EffectState, FoundOutcome, IdempotencyKey, ThreadId, TurnId};
use crate::protocol::Refused;

/// How many effects are listed when nothing is said, and how many at most.
const EFFECTS: (u32, std::ops::RangeInclusive<u32>) = (100, 1..=1_000);
/// The most characters of who found out, and of how.
pub(crate) const ACTOR_LIMIT: usize = 256;
pub(crate) const NOTE_LIMIT: usize = 4_096;
/// Who found out when the host does not say.
const HOST: &str = "host";

/// Effects to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEffects {
    /// Of this thread.
    pub thread: Option<ThreadId>,
    /// Of this turn.
    pub turn: Option<TurnId>,
    /// In this state.
    pub state: Option<EffectState>,
    /// At most so many.
    pub limit: u32,
}

/// What became of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReconcileEffect {
    /// The effect.
    pub effect: EffectId,
    /// What became of it.
    pub outcome: FoundOutcome,
    /// Who found out.
    pub actor: String,
    /// How.
    pub note: String,
    /// The wish that it happens once.
    pub once: Option<Once>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    thread_id: Option<ThreadId>,
    turn_id: Option<TurnId>,
    state: Option<EffectState>,
    limit: Option<u32>,
}

impl ListEffects {
    pub(super) fn of(params: Map<String, Value>) -> Result<Self, Refused> {
        let list: List = typed(params)?;
        Ok(Self {
            thread: list.thread_id,
            turn: list.turn_id,
            state: list.state,
            limit: within(list.limit, &EFFECTS)?,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Reconcile {
    effect_id: EffectId,
    outcome: FoundOutcome,
    note: String,
    actor: Option<String>,
    idempotency_key: Option<IdempotencyKey>,
}

impl ReconcileEffect {
    pub(super) fn of(params: Map<String, Value>) -> Result<Self, Refused> {
        let digest = canonical::digest(&params);
        let found: Reconcile = typed(params)?;
        let actor = found.actor.unwrap_or_else(|| HOST.to_owned());
        said("actor", &actor, ACTOR_LIMIT)?;
        said("note", &found.note, NOTE_LIMIT)?;
        Ok(Self {
            effect: found.effect_id,
            outcome: found.outcome,
            actor,
            note: found.note,
            once: once(found.idempotency_key, digest),
        })
    }
}

fn said(member: &str, text: &str, limit: usize) -> Result<(), Refused> {
    let length = text.chars().count();
    if text.trim().is_empty() || length > limit {
        let problem = format!("has 1 to {limit} characters, not all of them blank; not {length}");
        return Err(invalid(member, &problem));
    }
    Ok(())
}
