use crate::domain::{ThreadId, TurnId};
use crate::protocol::line::Page;
use crate::protocol::{ListEffects, ListThreads, ReadThread, Refused, RequestId};
use crate::store::{
    Archived, EffectFilter, Store, StoreError, ThreadFilter, ThreadRecord, TurnEvidence, TurnRecord,
};

use super::view;

/// The most bytes of a response that lists events or threads; what is left is asked for again.
pub(super) const PAGE_BYTES: usize = (8 << 20) - (64 << 10);
/// Events read from the store at once.
const READ_EVENTS: u32 = 1_000;

/// A thread and its events, up to the place the thread had when it was read: a last event before
/// the thread's revision means that there is more.
pub(super) async fn events(
    store: &Store,
    id: &RequestId,
    read: ReadThread,
) -> Result<Vec<u8>, Refused> {
    let thread = current(store, &read.thread).await?;
    let page = Page::of_events(id, &view::thread(&thread), PAGE_BYTES)?;
    filled(page, store, &thread, &read).await
}

/// The same with a turn of the thread.
pub(super) async fn turn_and_events(
    store: &Store,
    id: &RequestId,
    turn: &TurnRecord,
    read: &ReadThread,
) -> Result<Vec<u8>, Refused> {
    let thread = store.thread(&turn.thread).await?;
    let (view, turn) = (view::thread(&thread), view::turn(turn));
    let page = Page::of_turn_and_events(id, &view, &turn, PAGE_BYTES)?;
    filled(page, store, &thread, read).await
}

async fn filled(
    mut page: Page,
    store: &Store,
    thread: &ThreadRecord,
    read: &ReadThread,
) -> Result<Vec<u8>, Refused> {
    let (mut after, mut left) = (read.after, read.limit);
    while left > 0 && after < thread.revision {
        let events = store
            .events(&thread.id, after, left.min(READ_EVENTS))
            .await?;
        let Some(last) = events.last() else { break };
        after = last.seq;
        left -= u32::try_from(events.len()).unwrap_or(left);
        let known = events.iter().filter(|event| event.seq <= thread.revision);
        for event in known {
            if !page.push(&view::event(event)?)? {
                return Ok(page.close());
            }
        }
    }
    Ok(page.close())
}

/// Threads, the last changed first.
pub(super) async fn threads(
    store: &Store,
    id: &RequestId,
    list: ListThreads,
) -> Result<Vec<u8>, Refused> {
    let filter = ThreadFilter {
        archived: if list.include_archived {
            Archived::Included
        } else {
            Archived::Hidden
        },
        limit: list.limit,
    };
    let mut page = Page::of_threads(id, PAGE_BYTES)?;
    for thread in store.threads(filter).await? {
        if !page.push(&view::thread(&thread))? {
            break;
        }
    }
    Ok(page.close())
}

/// Effects, the newest first.
pub(super) async fn effects(
    store: &Store,
    id: &RequestId,
    list: ListEffects,
) -> Result<Vec<u8>, Refused> {
    let filter = EffectFilter {
        thread: list.thread,
        turn: list.turn,
        state: list.state,
        limit: list.limit,
    };
    let mut page = Page::of_effects(id, PAGE_BYTES)?;
    for effect in store.effects(&filter).await? {
        if !page.push(&view::effect(&effect))? {
            break;
        }
    }
    Ok(page.close())
}

/// The evidence of a turn. One that lost its process is closed first.
pub(super) async fn evidence(
    store: &Store,
    thread: &ThreadId,
    turn: &TurnId,
) -> Result<TurnEvidence, StoreError> {
    let mut turn = store.turn(thread, turn).await?;
    if !turn.status.is_terminal() {
        turn = store.close_orphan(turn).await?;
    }
    store.evidence(turn).await
}

/// A thread as it stands. One whose turn lost its process is put right first, so that it never
/// stays at work for ever.
async fn current(store: &Store, id: &ThreadId) -> Result<ThreadRecord, StoreError> {
    let thread = store.thread(id).await?;
    let Some(active) = &thread.active_turn else {
        return Ok(thread);
    };
    let turn = store.turn(id, active).await?;
    if turn.owner == *store.owner() {
        return Ok(thread);
    }
    match store.close_orphan(turn).await {
        Ok(_) => store.thread(id).await,
        Err(StoreError::TurnActive { .. }) => Ok(thread),
        Err(error) => Err(error),
    }
}
