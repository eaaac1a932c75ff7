//! What the model has read, so that it changes only what it knows.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::Digest;

/// The most paths remembered; the one seen longest ago is forgotten first.
const PATH_COUNT_LIMIT: usize = 4_096;

/// The content the model has seen, by path. Bounded; what it forgot must be read again.
#[derive(Default)]
pub struct ReadLog {
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    paths: HashMap<String, Entry>,
    /// Counts what was seen, so that it can be ordered.
    count: u64,
}

struct Entry {
    digest: Digest,
    at: u64,
}

impl ReadLog {
    /// The model has now seen that `path`, relative to the workspace, has the content of `digest`.
    pub(crate) fn saw(&self, path: &str, digest: Digest) {
        let mut seen = self.lock();
        seen.count += 1;
        let at = seen.count;
        seen.paths.insert(path.to_owned(), Entry { digest, at });
        if seen.paths.len() > PATH_COUNT_LIMIT {
            let oldest = seen.paths.iter().min_by_key(|(_, entry)| entry.at);
            if let Some(path) = oldest.map(|(path, _)| path.clone()) {
                seen.paths.remove(&path);
            }
        }
    }

    /// Nobody knows what `path` holds now.
    pub(crate) fn forget(&self, path: &str) {
        self.lock().paths.remove(path);
    }

    /// The content the model saw last at `path`, if it is remembered.
    pub(crate) fn seen(&self, path: &str) -> Option<Digest> {
        self.lock().paths.get(path).map(|entry| entry.digest)
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        // Every change is a single insertion or removal: a panic elsewhere leaves it whole.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_thing_seen_counts_and_the_oldest_is_forgotten() {
        let log = ReadLog::default();
        let digest = |n: usize| Digest::of(&n.to_le_bytes());
        log.saw("first", digest(0));
        log.saw("kept", digest(0));
        for n in 1..PATH_COUNT_LIMIT {
            log.saw(&n.to_string(), digest(n));
            log.saw("kept", digest(n));
        }
        assert_eq!(log.seen("first"), None);
        assert_eq!(log.seen("kept"), Some(digest(PATH_COUNT_LIMIT - 1)));
        assert_eq!(log.seen("1"), Some(digest(1)));
        log.forget("1");
        assert_eq!(log.seen("1"), None);
        assert!(log.lock().paths.len() <= PATH_COUNT_LIMIT);
    }
}
