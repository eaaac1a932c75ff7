//! Checkpoints: what they sign, what they find, and who may sign.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};
use threadkeep::store::proof::{Checkpoint, Key, Note, VerifierKey};

use super::Desk;
use crate::verify::forge;

/// A key out of RFC 8410 §10.3; its public half is 19bf4409…66e1.
const KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
    -----END PRIVATE KEY-----\n";
const PUBLIC: &str = "ARm/RAlphM3+hUG6wWfcO5bIUIaqMLa2ywxcOK1wMWbh";

impl Desk {
    /// A file on the desk that is there for its owner alone.
    fn put(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A new checkpoint in a file of that name.
    pub(super) fn checkpoint(&self, name: &str) -> String {
        let path = self.path(name).to_str().unwrap().to_owned();
        let said = self.says(&["checkpoint", "--out", &path]);
        assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{said:?}");
        path
    }

    pub(super) fn public_key(&self) -> String {
        let said = self.says(&["checkpoint", "--public"]);
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out.trim().to_owned()
    }

    /// The database with its log, to be put back later.
    fn copy(&self, name: &str) {
        fs::create_dir(self.path(name)).unwrap();
        move_database(&self.state(), &self.path(name), |from, to| {
            fs::copy(from, to).map(drop)
        });
    }

    fn put_back(&self, name: &str) {
        for old in ["threadkeep.db-wal", "threadkeep.db-shm"] {
            let _ = fs::remove_file(self.state().join(old));
        }
        move_database(&self.path(name), &self.state(), |from, to| {
            fs::rename(from, to)
        });
    }
}

fn move_database(from: &Path, to: &Path, by: impl Fn(&Path, &Path) -> std::io::Result<()>) {
    for name in ["threadkeep.db", "threadkeep.db-wal"] {
        if from.join(name).exists() {
            by(&from.join(name), &to.join(name)).unwrap();
        }
    }
}

fn thread_of(outcome: &Value) -> &str {
    outcome["threadId"].as_str().unwrap()
}

#[test]
fn a_checkpoint_is_found_in_the_ledger_now_and_later() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let file = desk.checkpoint("a.note");
    let key = desk.public_key();
    let note = Note::parse(&fs::read(&file).unwrap()).unwrap();
    let verifier: VerifierKey = key.parse().unwrap();
    let signed = Checkpoint::verified(&note, &verifier).unwrap();
    assert_eq!(
        signed.head.size,
        desk.asks("head")[0]["commit_id"].as_u64().unwrap()
    );
    let key_file = desk.put("a.vkey", format!("{key}\n"));
    for _ in 0..2 {
        for given in [&key, &key_file] {
            let typed = ["verify", "--checkpoint", &file, "--verifier-key", given];
            let said = desk.says(&typed);
            assert_eq!(said.code, Some(0), "{said:?}");
            assert!(said.out.contains("is a state of this ledger"), "{said:?}");
            assert!(!said.out.contains("beside the ledger"), "{said:?}");
        }
        desk.exec(&["read README.md"]);
    }
    // With the key that a forger has too, that is said.
    let said = desk.says(&["verify", "--checkpoint", &file]);
    assert!(
        said.code == Some(0) && said.out.contains("beside the ledger"),
        "{said:?}"
    );
    let said = desk.says(&["verify", "--checkpoint", &file, "--json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        report["checkpoint"],
        json!({
            "origin": signed.origin,
            "size": signed.head.size,
            "root": signed.head.root,
            "signed_by": verifier.label(),
            "own_key": true,
            "found": true,
        })
    );
}

#[test]
fn what_is_signed_goes_on_from_what_was_signed() {
    let desk = Desk::new();
    desk.says(&["checkpoint"])
        .is_usage("there is no store here");
    desk.exec(&["list ."]);
    let first = desk.checkpoint("1.note");
    desk.exec(&["list ."]);
    let said = desk.says(&["checkpoint", "--since", &first]);
    let (proof, note) = said.out.split_once("\n\n").unwrap();
    let note = Note::parse(note.as_bytes()).unwrap();
    let key = desk.public_key().parse().unwrap();
    let size = |note: &Note| Checkpoint::verified(note, &key).unwrap().head.size;
    let earlier = Note::parse(&fs::read(&first).unwrap()).unwrap();
    let mut lines = proof.lines();
    assert_eq!(lines.next().unwrap(), format!("old {}", size(&earlier)));
    assert!(size(&note) > size(&earlier));
    assert!(lines.all(|hash| hash.len() == 44), "{proof}");
    // What was signed last cannot be told: nothing is signed.
    for wrong in ["", "example.com/ledger\n1\n\n— a QUJDREVG\n"] {
        desk.put("state/checkpoint.note", wrong);
        desk.says(&["checkpoint"]).is_usage("remove the file");
    }
}

#[test]
fn a_ledger_that_was_cut_off_is_intact_and_not_the_one_of_the_checkpoint() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let last = desk.exec(&["read README.md"]);
    let file = desk.checkpoint("a.note");
    let cut = include_str!("../verify/cut_off.sql").replace("{thread}", thread_of(&last));
    forge(&desk.database(), &cut);
    assert_eq!(desk.says(&["verify"]).code, Some(0));
    is_broken(&desk, &file, "and the ledger ends at commit");
}

#[test]
fn a_ledger_that_was_rolled_back_is_intact_and_not_the_one_of_the_checkpoint() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    desk.copy("earlier");
    desk.exec(&["read README.md"]);
    let file = desk.checkpoint("a.note");
    desk.put_back("earlier");
    is_broken(&desk, &file, "and the ledger ends at commit");
    for _ in 0..2 {
        desk.exec(&["search Light"]);
    }
    let said = desk.says(&["verify"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    is_broken(&desk, &file, "are not those of the checkpoint");
}

/// Also that a log does not sign what contradicts what it signed, and that a person who knows better
/// can have it.
fn is_broken(desk: &Desk, file: &str, why: &str) {
    let key = desk.public_key();
    let typed = ["verify", "--checkpoint", file, "--verifier-key", &key];
    let said = desk.says(&typed);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.starts_with("broken: ") && said.out.contains(why),
        "{said:?}"
    );
    assert!(said.out.contains("is no state of this ledger"), "{said:?}");
    let said = desk.says(&[&typed[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["findings"][0]["what"], "checkpoint_not_found");
    assert_eq!(report["checkpoint"]["found"], false);

    let said = desk.says(&["checkpoint"]);
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{said:?}");
    assert!(said.err.contains("nothing was signed"), "{said:?}");
    let kept = desk.state().join("checkpoint.note");
    let last = fs::read(&kept).unwrap();
    fs::remove_file(&kept).unwrap();
    assert_eq!(desk.says(&["checkpoint"]).code, Some(0));
    fs::write(&kept, last).unwrap();
}

#[test]
fn a_checkpoint_is_named_as_missing_among_more_findings_than_are_listed() {
    let desk = Desk::new();
    let model = desk.script(&json!([{ "steps": [{ "text": "word {n} ", "repeat": 200 }] }]));
    desk.exec(&["--model", &model, "go"]);
    desk.copy("earlier");
    desk.exec(&["list ."]);
    let file = desk.checkpoint("a.note");
    desk.put_back("earlier");
    forge(&desk.database(), include_str!("../verify/edit_all.sql"));
    let said = desk.says(&["verify", "--checkpoint", &file, "--json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert!(report["unlisted"].as_u64() > Some(0), "{report}");
    assert_eq!(report["checkpoint"]["found"], false);
}

#[test]
fn what_is_no_checkpoint_by_the_key_is_refused_with_the_reason() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let file = desk.checkpoint("a.note");
    let key = desk.public_key();
    let text = fs::read_to_string(&file).unwrap();
    let size = text.lines().nth(1).unwrap();
    let other = desk.put("other.key", KEY);
    let by_other = desk.says(&["checkpoint", "--key", &other]).out;
    let cases = [
        (String::new(), "not a signed note"),
        ("x".repeat(300_000), "has more than"),
        (text.replace('\n', "\r\n"), "carriage returns"),
        (text.replace(&format!("\n{size}\n"), "\n1\n"), "is not good"),
        (text.trim_end().to_owned(), "cut off"),
        (by_other, "has no signature by"),
    ];
    for (note, why) in cases {
        let wrong = desk.put("wrong.note", note);
        let typed = ["verify", "--checkpoint", &wrong, "--verifier-key", &key];
        desk.says(&typed).is_usage(why);
    }
    for (place, why) in [
        ("/nowhere", "cannot be read"),
        ("/dev/zero", "is no file"),
        ("/", "is no file"),
    ] {
        desk.says(&["verify", "--checkpoint", place]).is_usage(why);
    }
    for wrong in [
        "",
        "x",
        "a+b",
        &key[1..],
        &desk.put("wrong.vkey", &key[..9]),
    ] {
        let typed = ["verify", "--checkpoint", &file, "--verifier-key", wrong];
        desk.says(&typed).is_usage("not a verifier key");
    }
    desk.says(&["verify", "--verifier-key", &key])
        .is_usage("--checkpoint");
    desk.says(&["checkpoint", "--out", &file])
        .is_usage("exists already");
    desk.says(&["checkpoint", "--origin", "a b"])
        .is_usage("cannot name a log");
    // Others may sign below: what nobody knows is not looked at.
    let witness = format!("{text}— witness.example/w {}\n", "QUJD".repeat(40));
    let typed = [
        "verify",
        "--checkpoint",
        &desk.put("witnessed.note", witness),
    ];
    assert_eq!(desk.says(&typed).code, Some(0));
}

#[test]
fn without_a_key_nobody_is_believed() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let file = desk.checkpoint("a.note");
    fs::remove_file(desk.state().join("checkpoint.key")).unwrap();
    desk.says(&["verify", "--checkpoint", &file])
        .is_usage("say --verifier-key");
    assert!(
        !desk.state().join("checkpoint.key").exists(),
        "verify makes no key"
    );
    // The key that is made next is another one.
    desk.checkpoint("b.note");
    desk.says(&["verify", "--checkpoint", &file])
        .is_usage("has no signature by");
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let file = desk.checkpoint("a.note");
    let key = desk.state().join("checkpoint.key");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    for name in ["checkpoint.key", "checkpoint.note"] {
        assert_eq!(mode(&desk.state().join(name)), 0o600);
    }
    assert_eq!(mode(Path::new(&file)), 0o600);
    let refused = |why: &str| {
        desk.says(&["checkpoint"]).is_usage(why);
        desk.says(&["verify", "--checkpoint", &file]).is_usage(why);
    };
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    refused("chmod 600");
    let moved = desk.path("moved.key");
    fs::rename(&key, &moved).unwrap();
    fs::set_permissions(&moved, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&moved, &key).unwrap();
    refused("symbolic link");
    fs::remove_file(&key).unwrap();
    fs::create_dir(&key).unwrap();
    refused("is no file");
    fs::remove_dir(&key).unwrap();
    for wrong in [String::new(), "x".repeat(5_000), KEY.replace("MC4", "MC5")] {
        fs::write(&key, wrong).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        refused("checkpoint.key: is ");
    }
}

#[test]
fn a_key_of_openssl_signs_under_a_name_of_ones_own() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let key = desk.put("own.key", KEY);
    let signing = ["--key", &key, "--origin", "example.com/ledger"];
    let said = desk.says(&[&["checkpoint", "--public"], &signing[..]].concat());
    let public = said.out.trim();
    assert!(
        public.starts_with("example.com/ledger+") && public.ends_with(PUBLIC),
        "{said:?}"
    );
    let said = desk.says(&[&["checkpoint"], &signing[..]].concat());
    assert!(said.out.starts_with("example.com/ledger\n"), "{said:?}");
    assert!(!desk.state().join("checkpoint.key").exists());
    let note = desk.put("own.note", said.out);
    let typed = ["verify", "--checkpoint", &note, "--verifier-key", public];
    assert_eq!(desk.says(&typed).code, Some(0));
    // The same key under another name is another log.
    let said = desk.says(&["checkpoint", "--public", "--key", &key]);
    let typed = [
        "verify",
        "--checkpoint",
        &note,
        "--verifier-key",
        said.out.trim(),
    ];
    desk.says(&typed).is_usage("has no signature by");
    assert!(Key::read(Path::new(&key), None).is_ok());
}

/// Two that begin at once have one key.
#[test]
fn a_key_is_made_once() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let run = || desk.spawn(&["checkpoint", "--public"]);
    let all: Vec<_> = (0..4).map(|_| run()).collect();
    let mut keys: Vec<_> = all
        .into_iter()
        .map(|child| String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap())
        .collect();
    keys.dedup();
    assert_eq!(keys, [format!("{}\n", desk.public_key())]);
}
