//! What only reads: `threads`, `show`, `verify`, `audit`.

use serde_json::{Value, json};

use super::{Desk, runs, said};
use crate::verify::forge;

#[test]
fn threads_lists_the_last_changed_first() {
    let desk = Desk::new();
    for prompt in ["list .", "read README.md", "search Light"] {
        desk.exec(&[prompt]);
    }
    let lines = desk.says(&["threads", "--json"]).lines();
    let titles: Vec<_> = lines
        .iter()
        .map(|line| line["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["search Light", "read README.md", "list ."]);
    assert_eq!(
        (&lines[0]["status"], &lines[0]["turns"]),
        (&json!("idle"), &json!(1))
    );
    let table = desk.says(&["threads", "--limit", "2"]).out;
    let rows: Vec<_> = table.lines().collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert!(
        rows[0].starts_with("THREAD") && rows[1].contains("search Light"),
        "{table}"
    );
    desk.says(&["threads", "--limit", "0"]).is_usage("--limit");
}

#[test]
fn show_tells_a_thread_for_people_and_for_programs() {
    let desk = Desk::new();
    let replies = json!([
        { "steps": [{ "text": "Now \u{1b}[2J." }, { "tool_call": { "name": "shell", "arguments": { "command": "echo hi" } } }] },
        { "steps": [{ "text": "All done." }] },
    ]);
    let outcome = desk.exec(&[
        "--model",
        &desk.script(&replies),
        "--allow",
        "process.exec",
        "say hi",
    ]);
    let thread = outcome["threadId"].as_str().unwrap();
    let told = desk.says(&["show", thread]).out;
    for words in ["say hi", "shell", "echo hi", "All done.", "completed"] {
        assert!(told.contains(words), "no {words:?} in {told}");
    }
    assert!(
        !told.contains('\u{1b}'),
        "a terminal obeys nothing out of the ledger"
    );
    let events = desk.says(&["show", thread, "--json"]).lines();
    let seqs: Vec<_> = events
        .iter()
        .map(|event| event["event_seq"].as_i64().unwrap())
        .collect();
    assert_eq!(seqs, (1..).take(seqs.len()).collect::<Vec<_>>());
    let turn = outcome["turnId"].as_str().unwrap();
    let of_turn = desk
        .says(&["show", thread, "--turn", turn, "--json"])
        .lines();
    assert_eq!(of_turn.len(), events.len() - 1);
    desk.says(&["show", thread, "--turn", "absent"])
        .is_usage("has no turn absent");
}

/// R15: whoever reads makes nothing, changes nothing and waits for nobody.
#[test]
fn reading_leaves_the_directory_as_it_is() {
    let desk = Desk::new();
    let thread = desk.exec(&["list ."])["threadId"]
        .as_str()
        .unwrap()
        .to_owned();
    let before = std::fs::read(desk.database()).unwrap();
    for typed in [
        &["threads"][..],
        &["show", &thread],
        &["verify"],
        &["audit", "recent_turns"],
    ] {
        let said = desk.says(typed);
        assert_eq!(
            (said.code, said.err.as_str()),
            (Some(0), ""),
            "{typed:?}: {said:?}"
        );
    }
    assert_eq!(std::fs::read(desk.database()).unwrap(), before);
    let absent = desk.path("absent");
    for typed in [
        &["threads"][..],
        &["show", "t"],
        &["verify"],
        &["audit", "recent_turns"],
    ] {
        let typed = [typed, &["--state-dir", absent.to_str().unwrap()]].concat();
        desk.says(&typed).is_usage("absent");
        assert!(!absent.exists(), "{typed:?}");
    }
}

#[test]
fn verify_says_intact_broken_or_unreadable() {
    let desk = Desk::new();
    desk.exec(&[
        "--model",
        &desk.script(&runs("true", &Value::Null)),
        "--allow",
        "process.exec",
        "go",
    ]);
    let intact = desk.says(&["verify"]);
    assert_eq!(intact.code, Some(0), "{intact:?}");
    assert!(intact.out.starts_with("intact: "), "{intact:?}");
    let head = intact
        .out
        .lines()
        .last()
        .unwrap()
        .strip_prefix("head ")
        .unwrap()
        .to_owned();
    assert_eq!(desk.says(&["verify", "--expect-head", &head]).code, Some(0));
    let report: Value = serde_json::from_str(&desk.says(&["verify", "--json"]).out).unwrap();
    assert_eq!(
        (&report["intact"], &report["findings"]),
        (&json!(true), &json!([]))
    );
    let other = format!("{}:{}", head.split_once(':').unwrap().0, "0".repeat(64));
    let rolled = desk.says(&["verify", "--expect-head", &other]);
    assert_eq!(rolled.code, Some(1), "{rolled:?}");
    desk.says(&["verify", "--expect-head", "42"])
        .is_usage("64 hexadecimal digits");

    forge(
        &desk.database(),
        &include_str!("../verify/edit_payload.sql").replace("'one', 'ten'", "'go', 'no'"),
    );
    let broken = desk.says(&["verify"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    assert!(broken.out.starts_with("broken: event 4 "), "{broken:?}");
    let report: Value = serde_json::from_str(&desk.says(&["verify", "--json"]).out).unwrap();
    assert_eq!(
        (&report["intact"], &report["findings"][0]["event_id"]),
        (&json!(false), &json!(4)),
        "{report}"
    );

    std::fs::write(desk.database(), "no database").unwrap();
    let unreadable = desk.says(&["verify"]);
    unreadable.is_usage("threadkeep.db");
    assert_eq!(
        std::fs::read(desk.database()).unwrap(),
        b"no database",
        "a reader sets nothing aside"
    );
}

/// R16: what a newer version wrote is refused and not touched.
#[test]
fn a_newer_file_is_refused_and_not_touched() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    let newer = rusqlite::Connection::open(desk.database()).unwrap();
    newer.execute_batch(include_str!("newer.sql")).unwrap();
    drop(newer);
    let before = std::fs::read(desk.database()).unwrap();
    for typed in [
        &["exec", "list ."][..],
        &["threads"],
        &["verify"],
        &["audit", "recent_turns"],
        &["serve"],
    ] {
        desk.says(typed).is_usage("install a newer threadkeep");
        assert_eq!(std::fs::read(desk.database()).unwrap(), before, "{typed:?}");
    }
}

/// What belongs to somebody else is left as it is, and a pipe is not waited for.
#[test]
fn what_is_no_store_of_ours_is_refused_and_not_touched() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    std::fs::remove_file(desk.database()).unwrap();
    let other = rusqlite::Connection::open(desk.database()).unwrap();
    other.execute_batch(include_str!("foreign.sql")).unwrap();
    drop(other);
    std::fs::set_permissions(
        desk.database(),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let before = std::fs::read(desk.database()).unwrap();
    for typed in [
        &["exec", "list ."][..],
        &["threads"],
        &["verify"],
        &["serve"],
    ] {
        desk.says(typed).is_usage("not a store of ours");
        assert_eq!(std::fs::read(desk.database()).unwrap(), before, "{typed:?}");
    }
    std::fs::remove_file(desk.database()).unwrap();
    let made = std::process::Command::new("mkfifo")
        .args(["-m", "600"])
        .arg(desk.database())
        .status();
    assert!(made.unwrap().success());
    for typed in [&["exec", "list ."][..], &["verify"]] {
        desk.says(typed).is_usage("state directory");
    }
}

/// A damaged file is kept whole under another name; the next start begins afresh.
#[test]
fn a_damaged_file_is_kept_and_said_so() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    std::fs::write(desk.database(), "damaged").unwrap();
    let said = desk.says(&["exec", "list ."]);
    said.is_usage("is damaged");
    let kept = std::fs::read_dir(desk.state())
        .unwrap()
        .any(|entry| std::fs::read(entry.unwrap().path()).is_ok_and(|bytes| bytes == b"damaged"));
    assert!(kept, "{said:?}");
    assert_eq!(desk.exec(&["list ."])["exitCode"], 0);
}

#[test]
fn audit_lists_its_questions_and_answers_each_in_three_forms() {
    let desk = Desk::new();
    let outcome = desk.exec(&[
        "--model",
        &desk.script(&runs("printf 'a,\"b\"\\nc'", &Value::Null)),
        "--allow",
        "process.exec",
        "say, \"hi\"",
    ]);
    let listed: Value = serde_json::from_str(&desk.says(&["audit", "--json"]).out).unwrap();
    let names: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|question| question["name"].as_str().unwrap())
        .collect();
    let table = desk.says(&["audit"]).out;
    for name in &names {
        assert!(table.contains(name), "{table}");
        for form in [
            &["audit", name][..],
            &["audit", name, "--json"],
            &["audit", name, "--csv"],
        ] {
            let said = desk.says(form);
            assert_eq!(said.code, Some(0), "{form:?}: {said:?}");
        }
    }
    let turns = desk.asks("recent_turns");
    assert_eq!(turns[0]["turn_id"], outcome["turnId"]);
    let text = desk.says(&["audit", "recent_turns", "--csv"]).out;
    assert!(
        text.lines().count() == 2 && text.ends_with("\r\n"),
        "{text:?}"
    );
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "asked")
        .unwrap();
    let row = reader.records().next().unwrap().unwrap();
    assert_eq!(&row[column], "say, \"hi\"");
    desk.says(&["audit", "whatever"])
        .is_usage("threadkeep audit");
    desk.says(&["audit", "recent_turns", "--json", "--csv"])
        .is_usage("--csv");
}

/// What was asked for and could not be written is no success.
#[test]
fn output_that_is_lost_is_a_failure() {
    let desk = Desk::new();
    desk.exec(&["list ."]);
    for typed in [
        &["verify"][..],
        &["verify", "--json"],
        &["threads", "--json"],
        &["audit", "conversation", "--csv"],
        &["exec", "list ."],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let said = said(desk.command(typed).stdout(full).output().unwrap());
        assert_eq!(said.code, Some(1), "{typed:?}: {said:?}");
        assert_eq!(
            said.err.matches("the output cannot be written").count(),
            1,
            "{said:?}"
        );
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let desk = Desk::new();
    let model = desk.script(&json!([{ "steps": [{ "text": "word {n} ", "repeat": 20_000 }] }]));
    let thread = desk.exec(&["--model", &model, "go"])["threadId"]
        .as_str()
        .unwrap()
        .to_owned();
    for typed in [
        &["show", &thread, "--json"][..],
        &["show", &thread],
        &["threads"],
        &["audit"],
        &["audit", "conversation", "--csv"],
        &["--help"],
    ] {
        let mut child = desk.spawn(typed);
        drop(child.stdout.take());
        let said = said(child.wait_with_output().unwrap());
        assert_eq!(
            (said.code, said.err.contains("panicked")),
            (Some(0), false),
            "{typed:?}: {said:?}"
        );
    }
}
