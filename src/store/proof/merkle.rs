//! The Merkle tree of RFC 6962 §2.1, built from the left: what is kept grows with the logarithm of
//! the number of leaves, and proofs fall out of the same pass as the root.

use crate::domain::Digest;

/// A tree under construction.
///
/// It keeps the roots of its whole subtrees, the largest first: at most one for each bit of its
/// size. Whenever two of them become one, each is what the proofs within the other need next.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    roots: Vec<Subtree>,
    /// The nodes that are proven, in the order of the leaves.
    proven: Vec<Proven>,
    size: u64,
}

/// The hash over the leaves `start..end`.
#[derive(Debug, Clone, Copy)]
struct Subtree {
    start: u64,
    end: u64,
    hash: Digest,
}

/// A node, and the hashes beside its way up.
#[derive(Debug, Clone)]
struct Proven {
    start: u64,
    end: u64,
    path: Vec<Digest>,
}

/// A finished tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its root.
    pub root: Digest,
    /// The inclusion proof (RFC 6962 §2.1.1) of each leaf that was to be proven, in their order.
    pub proofs: Vec<Vec<Digest>>,
}

impl Tree {
    /// Adds a leaf.
    pub fn push(&mut self, leaf: &[u8]) {
        let mut last = Subtree {
            start: self.size,
            end: self.size + 1,
            hash: leaf_hash(leaf),
        };
        self.size += 1;
        while let Some(before) = self.roots.pop_if(|root| root.len() == last.len()) {
            last = self.join(before, last);
        }
        self.roots.push(last);
    }

    /// Adds a leaf and keeps what proves that it is there.
    pub fn push_proven(&mut self, leaf: &[u8]) {
        self.proven.push(Proven {
            start: self.size,
            end: self.size + 1,
            path: Vec::new(),
        });
        self.push(leaf);
    }

    /// How many leaves it has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The root over the leaves so far.
    pub fn root(&self) -> Digest {
        let hashes = self.roots.iter().rev().map(|root| root.hash);
        hashes
            .reduce(|right, left| node_hash(&left, &right))
            .unwrap_or_else(empty_root)
    }

    /// The root, and the proofs of the leaves that were to be proven.
    #[must_use]
    pub fn finish(mut self) -> Finished {
        let root = self.fold();
        Finished {
            root,
            proofs: self.proven.into_iter().map(|node| node.path).collect(),
        }
    }

    fn fold(&mut self) -> Digest {
        let Some(mut last) = self.roots.pop() else {
            return empty_root();
        };
        while let Some(before) = self.roots.pop() {
            last = self.join(before, last);
        }
        last.hash
    }

    fn join(&mut self, left: Subtree, right: Subtree) -> Subtree {
        let first = self.proven.partition_point(|node| node.start < left.start);
        for node in &mut self.proven[first..] {
            if node.end <= left.end {
                node.path.push(right.hash);
            } else if right.start <= node.start {
                node.path.push(left.hash);
            }
        }
        Subtree {
            start: left.start,
            end: right.end,
            hash: node_hash(&left.hash, &right.hash),
        }
    }
}

impl Subtree {
    const fn len(&self) -> u64 {
        self.end - self.start
    }
}

/// A tree that goes on from one that was seen earlier, and the proof that it does.
#[derive(Debug, Clone)]
pub struct Continued {
    tree: Tree,
    earlier: u64,
    seen: Option<Seen>,
}

/// The earlier tree.
#[derive(Debug, Clone, Copy)]
struct Seen {
    root: Digest,
    /// Its last whole subtree; `None` when that is the whole of it.
    last: Option<Digest>,
}

/// What a continued tree shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    /// The root of the earlier tree, as these leaves give it.
    pub earlier_root: Digest,
    /// The root of the whole tree.
    pub root: Digest,
    /// The consistency proof of RFC 6962 §2.1.2 between the two.
    pub proof: Vec<Digest>,
}

impl Continued {
    /// An empty tree that is to go on from the first `earlier` leaves.
    #[must_use]
    pub fn from(earlier: u64) -> Self {
        let mut continued = Self {
            tree: Tree::default(),
            earlier,
            seen: None,
        };
        continued.see();
        continued
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: &[u8]) {
        self.tree.push(leaf);
        self.see();
    }

    /// How many leaves it has.
    pub fn size(&self) -> u64 {
        self.tree.size
    }

    /// `None` when the earlier tree had more leaves.
    #[must_use]
    pub fn finish(mut self) -> Option<Continuation> {
        let seen = self.seen?;
        let root = self.tree.fold();
        let path = self.tree.proven.pop().map(|node| node.path);
        let proof = match path {
            Some(path) if self.tree.size > self.earlier => {
                seen.last.into_iter().chain(path).collect()
            }
            _ => Vec::new(),
        };
        Some(Continuation {
            earlier_root: seen.root,
            root,
            proof,
        })
    }

    /// Keeps what the earlier tree was, when it is reached. The proof is the way up from its last
    /// whole subtree.
    fn see(&mut self) {
        if self.tree.size != self.earlier {
            return;
        }
        let last = self.tree.roots.last().copied();
        self.seen = Some(Seen {
            root: self.tree.root(),
            last: last.filter(|last| last.start > 0).map(|last| last.hash),
        });
        self.tree.proven = last
            .map(|last| Proven {
                start: last.start,
                end: last.end,
                path: Vec::new(),
            })
            .into_iter()
            .collect();
    }
}

/// The root that an inclusion proof leads to from leaf `index` of a tree of `size` leaves; `None`
/// when a proof there has another length (the way of RFC 9162 §2.1.3.2).
#[must_use]
pub fn root_from_proof(leaf: &[u8], index: u64, size: u64, proof: &[Digest]) -> Option<Digest> {
    let (mut at, mut last) = (index, size.checked_sub(1)?);
    if at > last {
        return None;
    }
    let mut hash = leaf_hash(leaf);
    for beside in proof {
        if last == 0 {
            return None;
        }
        if at & 1 == 1 || at == last {
            hash = node_hash(beside, &hash);
            // On the right edge a node without a neighbour goes up as it is.
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(&hash, beside);
        }
        at >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(hash)
}

fn empty_root() -> Digest {
    Digest::of(b"")
}

fn leaf_hash(leaf: &[u8]) -> Digest {
    Digest::of_parts(&[&[0], leaf])
}

fn node_hash(left: &Digest, right: &Digest) -> Digest {
    Digest::of_parts(&[&[1], left.as_bytes(), right.as_bytes()])
}

#[cfg(test)]
mod tests;
