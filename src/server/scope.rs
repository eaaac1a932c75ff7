use crate::domain::ThreadId;
use crate::protocol::Call;

/// What a request touches. Requests that touch the same thing begin in the order they came.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The list of threads.
    Threads,
    /// One thread.
    Thread(ThreadId),
}

/// Whether a request tolerates others at the thing it touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Together with other shared ones.
    Shared,
    /// Alone.
    Exclusive,
}

/// Everything a request touches.
pub(super) type Scope = Vec<(Key, Access)>;

/// What `call` touches.
pub(super) fn of(call: &Call) -> Scope {
    use Access::{Exclusive, Shared};
    let thread = |thread: &ThreadId, access| (Key::Thread(thread.clone()), access);
    match call {
        // Effects touch no thread that a later request could find changed halfway.
        Call::Initialize(_) | Call::ListEffects(_) | Call::ReconcileEffect(_) => Vec::new(),
        // Beginnings get along with each other and a list does with none of them: it shows those
        // asked for before it, and none after.
        Call::ListThreads(_) => vec![(Key::Threads, Exclusive)],
        Call::StartThread(start) => {
            let named = start.thread.iter().map(|id| thread(id, Exclusive));
            named.chain([(Key::Threads, Shared)]).collect()
        }
        Call::ForkThread(fork) => {
            let named = fork.thread.iter().map(|id| thread(id, Exclusive));
            let source = thread(&fork.source, Shared);
            named.chain([source, (Key::Threads, Shared)]).collect()
        }
        Call::ArchiveThread(id) => vec![thread(id, Exclusive), (Key::Threads, Shared)],
        Call::StartTurn(turn) => vec![thread(&turn.thread, Exclusive), (Key::Threads, Shared)],
        Call::ContinueTurn(turn) => {
            vec![thread(&turn.read.thread, Exclusive), (Key::Threads, Shared)]
        }
        // An interrupt waits for the turn to end, which may take long: it must not keep reads out.
        Call::ReadThread(read) | Call::ResumeThread(read) => vec![thread(&read.thread, Shared)],
        Call::InterruptTurn(id, _) | Call::GetEvidence(id, _) => vec![thread(id, Shared)],
    }
}
