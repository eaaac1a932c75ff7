use std::collections::{HashMap, HashSet, VecDeque};

use super::scope::{Access, Key, Scope};

/// Requests that wait, and what those at work touch.
pub(super) struct Queue<T> {
    waiting: VecDeque<Waiting<T>>,
    bytes: usize,
    bounds: Bounds,
    busy: HashMap<Key, Busy>,
    at_work: usize,
}

/// How much may wait, and how much may be at work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub requests: usize,
    pub bytes: usize,
    pub at_work: usize,
}

struct Waiting<T> {
    entry: T,
    scope: Scope,
    bytes: usize,
}

/// How a thing is touched by requests at work.
enum Busy {
    Shared(usize),
    Exclusive,
}

/// There is no room.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl<T> Queue<T> {
    pub fn new(bounds: Bounds) -> Self {
        Self {
            waiting: VecDeque::new(),
            bytes: 0,
            bounds,
            busy: HashMap::new(),
            at_work: 0,
        }
    }

    /// Adds a request of `bytes` bytes behind those that wait.
    pub fn push(&mut self, entry: T, scope: Scope, bytes: usize) -> Result<(), Full> {
        let full =
            self.waiting.len() >= self.bounds.requests || self.bytes + bytes > self.bounds.bytes;
        if full {
            return Err(Full);
        }
        self.bytes += bytes;
        self.waiting.push_back(Waiting {
            entry,
            scope,
            bytes,
        });
        Ok(())
    }

    /// Takes the first request that may begin: nothing it touches is at work or waited for by one
    /// before it, unless both share it.
    pub fn begin(&mut self) -> Option<(T, Scope)> {
        if self.at_work >= self.bounds.at_work {
            return None;
        }
        let at = self.first_free()?;
        let next = self.waiting.remove(at)?;
        self.bytes -= next.bytes;
        self.at_work += 1;
        for (key, access) in &next.scope {
            let busy = self.busy.entry(key.clone()).or_insert(Busy::Shared(0));
            *busy = match (access, &busy) {
                (Access::Shared, Busy::Shared(others)) => Busy::Shared(others + 1),
                _ => Busy::Exclusive,
            };
        }
        Some((next.entry, next.scope))
    }

    fn first_free(&self) -> Option<usize> {
        let mut shared = HashSet::new();
        let mut exclusive = HashSet::new();
        self.waiting.iter().position(|waiting| {
            let free = waiting.scope.iter().all(|(key, access)| {
                let alone = *access == Access::Exclusive;
                let awaited = exclusive.contains(key) || (alone && shared.contains(key));
                let busy = match self.busy.get(key) {
                    None => false,
                    Some(Busy::Shared(_)) => alone,
                    Some(Busy::Exclusive) => true,
                };
                !awaited && !busy
            });
            for (key, access) in &waiting.scope {
                match access {
                    Access::Shared => shared.insert(key),
                    Access::Exclusive => exclusive.insert(key),
                };
            }
            free
        })
    }

    /// A request that touched `scope` is done.
    pub fn done(&mut self, scope: &Scope) {
        self.at_work -= 1;
        for (key, _) in scope {
            match self.busy.get_mut(key) {
                Some(Busy::Shared(others)) if *others > 1 => *others -= 1,
                _ => {
                    self.busy.remove(key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        requests: 4,
        bytes: 100,
        at_work: 3,
    };

    fn scope(text: &str) -> Scope {
        text.split_whitespace()
            .map(|word| {
                let (name, access) = match word.strip_suffix('!') {
                    Some(name) => (name, Access::Exclusive),
                    None => (word, Access::Shared),
                };
                (Key::Thread(name.parse().unwrap()), access)
            })
            .collect()
    }

    /// What may begin when `asked` wait and nothing is done, in order.
    fn begun(asked: &[&'static str]) -> Vec<&'static str> {
        let mut queue = Queue::new(BOUNDS);
        for text in asked {
            queue.push(*text, scope(text), 1).unwrap();
        }
        std::iter::from_fn(|| queue.begin().map(|(text, _)| text)).collect()
    }

    #[test]
    fn what_shares_runs_together_and_nothing_overtakes_on_the_same_thing() {
        assert_eq!(begun(&["a", "a", "a", "a"]), ["a", "a", "a"]);
        assert_eq!(begun(&["a!", "a", "b!", "b"]), ["a!", "b!"]);
        assert_eq!(begun(&["a", "a!", "a", "b"]), ["a", "b"]);
        assert_eq!(begun(&["a b!", "b", "a", "a!"]), ["a b!", "a"]);
        assert_eq!(begun(&["", "", "", ""]), ["", "", ""]);
    }

    #[test]
    fn what_is_done_lets_the_next_begin() {
        let mut queue = Queue::new(BOUNDS);
        for text in ["a", "a", "a!", "a"] {
            queue.push(text, scope(text), 1).unwrap();
        }
        let (_, first) = queue.begin().unwrap();
        let (_, second) = queue.begin().unwrap();
        assert!(queue.begin().is_none());
        queue.done(&first);
        assert!(queue.begin().is_none(), "one reader is still there");
        queue.done(&second);
        let (text, alone) = queue.begin().unwrap();
        assert!(text == "a!" && queue.begin().is_none());
        queue.done(&alone);
        let (_, last) = queue.begin().unwrap();
        queue.done(&last);
        assert!(queue.begin().is_none() && queue.busy.is_empty());
    }

    #[test]
    fn more_than_the_bounds_is_refused() {
        let mut queue = Queue::new(BOUNDS);
        assert_eq!(queue.push(0, Scope::new(), 101), Err(Full));
        for n in 0..4 {
            assert_eq!(queue.push(n, Scope::new(), 25), Ok(()));
        }
        assert_eq!(queue.push(4, Scope::new(), 0), Err(Full));
        assert!(queue.begin().is_some());
        assert_eq!(queue.push(4, Scope::new(), 26), Err(Full));
        assert_eq!(queue.push(4, Scope::new(), 25), Ok(()));
        let begun = std::iter::from_fn(|| queue.begin().map(|(n, _)| n));
        assert_eq!(begun.collect::<Vec<_>>(), [1, 2]);
    }
}
