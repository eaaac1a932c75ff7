use ed25519_dalek::{Signer as _, SigningKey};
use proptest::prelude::*;

use super::super::Checkpoint;
use super::*;

/// The key and the note that the format's first implementation is tested with:
/// <https://pkg.go.dev/golang.org/x/mod/sumdb/note>.
const SECRET: &str = "AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const PUBLIC: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const NOTE: &str = "If you think cryptography is the answer to your problem,\n\
    then you don't know what your problem is.\n\n\
    — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

fn secret() -> SigningKey {
    let bytes = STANDARD.decode(SECRET).unwrap();
    SigningKey::from_bytes(bytes[1..].try_into().unwrap())
}

fn public() -> VerifierKey {
    PUBLIC.parse().unwrap()
}

/// A note of that text by that key.
fn by_peter(text: &str) -> Note {
    let signature = secret().sign(text.as_bytes());
    Note::signed(text.to_owned(), &public(), &signature)
}

#[test]
fn the_known_note_is_written_and_verified() {
    let name = "PeterNeumann".parse().unwrap();
    let key = VerifierKey::new(name, secret().verifying_key());
    assert_eq!((key.to_string().as_str(), &key), (PUBLIC, &public()));
    let note = Note::parse(NOTE.as_bytes()).unwrap();
    let (text, _) = NOTE.rsplit_once("\n\n").unwrap();
    let text = format!("{text}\n");
    assert_eq!(note.verify(&key).unwrap(), text);
    assert_eq!(by_peter(&text).to_string(), NOTE);
}

#[test]
fn a_verifier_key_with_anything_changed_is_refused() {
    for at in 0..PUBLIC.len() {
        let mut changed = PUBLIC.as_bytes().to_vec();
        changed[at] += 1;
        let changed = String::from_utf8(changed).unwrap();
        assert!(changed.parse::<VerifierKey>().is_err(), "{changed}");
        assert!(PUBLIC[..at].parse::<VerifierKey>().is_err());
        if at > 0 {
            assert!(PUBLIC[at..].parse::<VerifierKey>().is_err());
        }
    }
    // Longer, and for another algorithm, each with the id that goes with it.
    for wrong in [
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    ] {
        assert!(wrong.parse::<VerifierKey>().is_err(), "{wrong}");
    }
}

#[test]
fn signatures_by_other_keys_are_ignored_and_a_bad_one_by_the_key_is_not() {
    let line = NOTE.lines().last().unwrap();
    let verify = |note: &str| {
        Note::parse(note.as_bytes())
            .unwrap()
            .verify(&public())
            .map(str::len)
    };
    let other_id = line.replace("x08go", "x18go");
    let other_name = line.replace("PeterNeumann", "Peter");
    // Of some other algorithm, which need not be known.
    let long = format!("— witness.example/w {}", STANDARD.encode([9; 5_000]));
    let around = format!("{other_id}\n{line}\n{other_name}\n{long}");
    assert!(verify(&NOTE.replace(line, &around)).is_ok());
    for without in [&other_id, &other_name, &long] {
        let found = verify(&NOTE.replace(line, without));
        assert!(
            matches!(found, Err(ProofError::Unsigned { .. })),
            "{found:?}"
        );
    }
    for changed in [
        NOTE.replace("answer", "Answer"),
        NOTE.replace("JnAM=", "JnBM="),
        NOTE.replace(line, &format!("{line}\n{}", line.replace("JnAM=", "JnBM="))),
    ] {
        let found = verify(&changed);
        assert!(matches!(found, Err(ProofError::Signature(_))), "{found:?}");
    }
}

#[test]
fn a_note_with_any_bit_turned_is_not_believed() {
    let key = public();
    for at in 0..NOTE.len() {
        for bit in 0..8 {
            let mut turned = NOTE.as_bytes().to_vec();
            turned[at] ^= 1 << bit;
            let found = Note::parse(&turned).and_then(|note| note.verify(&key).map(str::len));
            assert!(found.is_err(), "byte {at}, bit {bit}");
        }
    }
}

proptest! {
    #[test]
    fn what_is_read_is_written_as_it_was(text in "\\PC*\n{1,3}\\PC*", lines in "(— a [A-Za-z0-9]{8}\n){0,3}") {
        let whole = format!("{text}\n\n{lines}");
        if let Ok(note) = Note::parse(whole.as_bytes()) {
            prop_assert_eq!(note.to_string(), whole);
        }
    }
}

#[test]
fn what_is_no_note_is_refused_with_the_reason() {
    let line = NOTE.lines().last().unwrap();
    let cases = [
        (String::new(), "no blank line"),
        ("text\n".to_owned(), "no blank line"),
        ("text\n\n".to_owned(), "no signature"),
        (NOTE.trim_end().to_owned(), "cut off"),
        (NOTE.replace('\n', "\r\n"), "carriage returns"),
        (NOTE.replace("you", "y\tu"), "control characters"),
        (NOTE.replace("— ", "- "), "is not a dash"),
        (NOTE.replace("JnAM=", "JnA"), "is not a dash"),
        (NOTE.replace(line, "— Peter eA=="), "is not a dash"),
        (
            NOTE.replace(line, "— Peter+Neumann x08go/ZJ"),
            "is not a dash",
        ),
        (
            NOTE.replace(line, &format!("{line}\n{}", "x".repeat(300_000))),
            "longer than",
        ),
    ];
    for (note, why) in cases {
        match Note::parse(note.as_bytes()) {
            Err(ProofError::Note(said)) => assert!(said.contains(why), "{said}"),
            other => panic!("{why}: {other:?}"),
        }
    }
    assert!(Note::parse(b"\xff\n\n").is_err());
}

#[test]
fn a_checkpoint_is_an_origin_a_size_and_a_root() {
    let root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=";
    let read = |text: &str| Checkpoint::verified(&by_peter(text), &public());
    for text in [
        format!("PeterNeumann\n20852163\n{root}\n"),
        format!("PeterNeumann\n0\n{root}\n"),
    ] {
        assert_eq!(read(&text).unwrap().to_string(), text);
    }
    let extended = read(&format!("PeterNeumann\n7\n{root}\nmore\nand more\n")).unwrap();
    assert_eq!(extended.head.size, 7);
    for wrong in [
        "PeterNeumann\n7\n".to_owned(),
        format!("PeterNeumann\n07\n{root}\n"),
        format!("PeterNeumann\n+7\n{root}\n"),
        format!("PeterNeumann\n-7\n{root}\n"),
        format!("PeterNeumann\n18446744073709551616\n{root}\n"),
        format!("PeterNeumann\n7\n{}\n", &root[4..]),
        format!("PeterNeumann\n7\n{root}\n\nmore\n"),
        format!("\n7\n{root}\n"),
    ] {
        let found = read(&wrong);
        assert!(matches!(found, Err(ProofError::Checkpoint(_))), "{found:?}");
    }
    let elsewhere = read(&format!("example.com/other\n7\n{root}\n"));
    assert!(
        matches!(elsewhere, Err(ProofError::Origin { .. })),
        "{elsewhere:?}"
    );
}
