use proptest::prelude::*;

use super::*;

/// The definitions of RFC 6962 §2.1 as they are written there.
mod naive {
    use super::super::{Digest, empty_root, leaf_hash, node_hash};

    /// The largest power of two smaller than `n`.
    fn split(n: usize) -> usize {
        n.next_power_of_two() / 2
    }

    pub fn root(leaves: &[Vec<u8>]) -> Digest {
        match leaves {
            [] => empty_root(),
            [leaf] => leaf_hash(leaf),
            _ => {
                let (left, right) = leaves.split_at(split(leaves.len()));
                node_hash(&root(left), &root(right))
            }
        }
    }

    pub fn path(m: usize, leaves: &[Vec<u8>]) -> Vec<Digest> {
        if leaves.len() == 1 {
            return Vec::new();
        }
        let k = split(leaves.len());
        let (left, right) = leaves.split_at(k);
        let (mut path, beside) = if m < k {
            (path(m, left), root(right))
        } else {
            (path(m - k, right), root(left))
        };
        path.push(beside);
        path
    }

    pub fn consistency(m: usize, leaves: &[Vec<u8>], known: bool) -> Vec<Digest> {
        if m == leaves.len() {
            return if known {
                Vec::new()
            } else {
                vec![root(leaves)]
            };
        }
        let k = split(leaves.len());
        let (left, right) = leaves.split_at(k);
        let (mut proof, beside) = if m <= k {
            (consistency(m, left, known), root(right))
        } else {
            (consistency(m - k, right, false), root(left))
        };
        proof.push(beside);
        proof
    }
}

fn digest(hex: &str) -> Digest {
    format!("sha256:{hex}").parse().unwrap()
}

fn finished(leaves: &[Vec<u8>], proven: impl Fn(usize) -> bool) -> Finished {
    let mut tree = Tree::default();
    for (at, leaf) in leaves.iter().enumerate() {
        if proven(at) {
            tree.push_proven(leaf);
        } else {
            tree.push(leaf);
        }
    }
    tree.finish()
}

fn continuation(earlier: usize, leaves: &[Vec<u8>]) -> Option<Continuation> {
    let mut tree = Continued::from(earlier as u64);
    for leaf in leaves {
        tree.push(leaf);
    }
    tree.finish()
}

/// The leaves with which implementations of certificate transparency are tested.
fn known_leaves() -> Vec<Vec<u8>> {
    let mut leaves = vec![
        vec![],
        vec![0],
        vec![0x10],
        vec![0x20, 0x21],
        vec![0x30, 0x31],
    ];
    leaves.push((0x40..0x44).collect());
    leaves.push((0x50..0x58).collect());
    leaves.push((0x60..0x70).collect());
    leaves
}

/// Their trees: <https://github.com/transparency-dev/merkle/blob/main/testonly/constants.go>.
const KNOWN_ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

#[test]
fn roots_are_those_of_the_known_trees() {
    let leaves = known_leaves();
    let mut tree = Tree::default();
    assert_eq!(tree.root(), digest(KNOWN_ROOTS[0]));
    for (leaf, root) in leaves.iter().zip(&KNOWN_ROOTS[1..]) {
        tree.push(leaf);
        assert_eq!(tree.root(), digest(root));
    }
    assert_eq!(tree.finish().root, digest(KNOWN_ROOTS[8]));
}

#[test]
fn proofs_are_those_of_the_known_trees() {
    let leaves = known_leaves();
    let nodes = |hexes: &[&str]| hexes.iter().map(|hex| digest(hex)).collect::<Vec<_>>();
    let beside_the_sixth = nodes(&[
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]);
    assert_eq!(finished(&leaves, |at| at == 5).proofs, [beside_the_sixth]);
    let from_six = nodes(&[
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]);
    assert_eq!(continuation(6, &leaves).unwrap().proof, from_six);
    let from_two = nodes(&[
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ]);
    assert_eq!(continuation(2, &leaves[..5]).unwrap().proof, from_two);
    assert_eq!(continuation(6, &leaves[..5]), None);
}

#[test]
fn what_is_kept_grows_with_the_logarithm() {
    let mut tree = Tree::default();
    for n in 0_u32..100_000 {
        tree.push(&n.to_be_bytes());
        assert_eq!(tree.roots.len(), (n + 1).count_ones() as usize);
    }
}

fn leaves() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..130)
}

proptest! {
    #[test]
    fn root_and_proofs_are_what_the_definitions_give(
        leaves in leaves(),
        proven in prop::collection::vec(any::<bool>(), 130),
    ) {
        let tree = finished(&leaves, |at| proven[at]);
        prop_assert_eq!(tree.root, naive::root(&leaves));
        let wanted: Vec<_> = (0..leaves.len()).filter(|at| proven[*at]).collect();
        prop_assert_eq!(tree.proofs.len(), wanted.len());
        for (at, proof) in wanted.into_iter().zip(&tree.proofs) {
            prop_assert_eq!(proof, &naive::path(at, &leaves));
            let (index, size) = (at as u64, leaves.len() as u64);
            let root = root_from_proof(&leaves[at], index, size, proof);
            prop_assert_eq!(root, Some(tree.root));
        }
    }

    #[test]
    fn a_proof_leads_to_the_root_from_its_own_place_only(
        leaves in leaves(),
        at in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
    ) {
        let (at, other) = (at.index(leaves.len()), other.index(leaves.len()));
        let Finished { root, proofs } = finished(&leaves, |leaf| leaf == at);
        let size = leaves.len() as u64;
        let leads = |leaf: &[u8], index: usize, proof: &[Digest]| {
            root_from_proof(leaf, index as u64, size, proof) == Some(root)
        };
        let proof = &proofs[0];
        prop_assert!(leads(&leaves[at], at, proof));
        prop_assert!(!leads(&[&leaves[at][..], &[0]].concat(), at, proof));
        prop_assert!(!leads(&leaves[at], leaves.len(), proof));
        prop_assert!(!leads(&leaves[at], at, &[&proof[..], &[root]].concat()));
        if other != at {
            prop_assert!(!leads(&leaves[at], other, proof));
        }
        if let Some((_, shorter)) = proof.split_last() {
            prop_assert!(!leads(&leaves[at], at, shorter));
        }
    }

    #[test]
    fn a_continuation_is_what_the_definition_gives(
        leaves in leaves(),
        earlier in any::<prop::sample::Index>(),
    ) {
        let earlier = earlier.index(leaves.len() + 1);
        let found = continuation(earlier, &leaves).unwrap();
        prop_assert_eq!(found.earlier_root, naive::root(&leaves[..earlier]));
        prop_assert_eq!(found.root, naive::root(&leaves));
        let proof = if earlier == 0 { Vec::new() } else { naive::consistency(earlier, &leaves, true) };
        prop_assert_eq!(found.proof, proof);
    }
}
