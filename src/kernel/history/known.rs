//! What the items of a conversation alone do not say.

use std::collections::{HashMap, HashSet};

use crate::domain::{EffectState, ItemId, ItemKind, ItemStatus, ThreadId, TurnId, TurnStatus};
use crate::store::body::ToolContent;
use crate::store::{EffectFilter, EffectRecord, ItemRecord, Store, StoreError, TurnRecord};

/// Effects of a chain of turns that are looked at to tell which calls had begun to act.
const EFFECTS: u32 = 100_000;

#[derive(Default)]
pub(super) struct Known {
    /// How turns ended.
    pub endings: HashMap<TurnId, TurnStatus>,
    /// What was found out of the unknown effects of tool items.
    pub found: HashMap<ItemId, String>,
    /// Items of calls that had not begun to act and are to be made again.
    pub open: HashSet<ItemId>,
    /// The turn a chain of continued turns began with, for all but that.
    roots: HashMap<TurnId, TurnId>,
    /// Turns that another went on with.
    continued: HashSet<TurnId>,
    /// Calls of such chains, in the order of their items: the first item stands for the last, which
    /// has the result.
    again: HashMap<ItemId, Option<ItemRecord>>,
}

/// A call within a chain of turns: the first turn, the answer, the call as the provider names it.
type CallName = (TurnId, u32, String);

impl Known {
    /// What is known before `turn`, of these items before it.
    pub async fn of(
        store: &Store,
        turn: &TurnRecord,
        items: &[&ItemRecord],
    ) -> Result<Self, StoreError> {
        let mut known = Self::default();
        let threads: HashSet<&ThreadId> = items.iter().map(|item| &item.thread).collect();
        for thread in threads {
            for turn in store.turns(thread).await? {
                known.turn(&turn);
            }
            for effect in store.reconciled_effects(thread).await? {
                let told = known.found.entry(effect.item.clone()).or_default();
                told.push_str(&found(&effect));
            }
        }
        known.turn(turn);
        known.chains(items);
        if turn.continues.is_some() {
            known.left_open(store, turn, items).await?;
        }
        Ok(known)
    }

    fn turn(&mut self, turn: &TurnRecord) {
        self.endings.insert(turn.id.clone(), turn.status);
        if let Some(before) = &turn.continues {
            let root = self.root(before).clone();
            self.roots.insert(turn.id.clone(), root);
            self.continued.insert(before.clone());
        }
    }

    /// The turn the chain of a turn began with.
    pub fn root<'k>(&'k self, turn: &'k TurnId) -> &'k TurnId {
        self.roots.get(turn).unwrap_or(turn)
    }

    /// Whether the model was asked again for what this item holds the beginning of.
    pub fn was_asked_again(&self, item: &ItemRecord) -> bool {
        item.status == ItemStatus::Cancelled && self.continued.contains(&item.turn)
    }

    /// The call of an item, and the item that has its result; `None` when it is told elsewhere.
    pub fn call<'k>(&'k self, item: &'k ItemRecord) -> Option<(&'k ItemRecord, ToolContent)> {
        let item = match self.again.get(&item.id) {
            None => item,
            Some(last) => last.as_ref()?,
        };
        Some((item, content(item)?))
    }

    fn chains(&mut self, items: &[&ItemRecord]) {
        let mut made: HashMap<CallName, Vec<&ItemRecord>> = HashMap::new();
        for item in items {
            let in_chain =
                self.continued.contains(&item.turn) || self.roots.contains_key(&item.turn);
            if let Some(content) = in_chain.then(|| content(item)).flatten() {
                let root = self.root(&item.turn).clone();
                let name = (root, content.answer, content.call_id);
                made.entry(name).or_default().push(item);
            }
        }
        for same in made.into_values() {
            // The same call made again is in another turn; twice in one it is two calls.
            let again = same.windows(2).all(|pair| pair[0].turn != pair[1].turn);
            if let ([first, rest @ ..], true) = (&*same, again)
                && let Some(last) = rest.last()
            {
                self.again.insert(first.id.clone(), Some((*last).clone()));
                self.again
                    .extend(rest.iter().map(|item| (item.id.clone(), None)));
            }
        }
    }

    async fn left_open(
        &mut self,
        store: &Store,
        turn: &TurnRecord,
        items: &[&ItemRecord],
    ) -> Result<(), StoreError> {
        let Some(before) = &turn.continues else {
            return Ok(());
        };
        let filter = EffectFilter {
            turn: Some(before.clone()),
            limit: EFFECTS,
            ..EffectFilter::default()
        };
        let effects = store.effects(&filter).await?;
        let acted: HashSet<ItemId> = effects.into_iter().map(|effect| effect.item).collect();
        let left = items.iter().filter(|item| {
            item.turn == *before
                && item.kind == ItemKind::Tool
                && item.status == ItemStatus::Cancelled
                && !acted.contains(&item.id)
        });
        self.open = left.map(|item| item.id.clone()).collect();
        Ok(())
    }
}

fn content(item: &ItemRecord) -> Option<ToolContent> {
    let tool = item.kind == ItemKind::Tool;
    tool.then(|| serde_json::from_value(item.content.clone()).ok())
        .flatten()
}

/// What the model is told of an effect whose outcome somebody found out.
fn found(effect: &EffectRecord) -> String {
    let outcome = match effect.state {
        EffectState::Happened => "it happened",
        EffectState::DidNotHappen => "nothing of it happened",
        EffectState::Intended | EffectState::Unknown => "the outcome is unknown",
    };
    let note = effect
        .reconciled
        .as_ref()
        .and_then(|found| found.note.as_deref());
    let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
    format!(
        "\n[Found out since of `{}`: {outcome}{note}.]",
        effect.target
    )
}
