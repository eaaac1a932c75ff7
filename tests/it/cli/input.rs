//! What is typed wrongly is exit 2 and says what to do.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::{Desk, said};
use crate::models::stub::{KEY, Kind, Reply, StubProvider};

#[test]
fn a_prompt_may_come_from_standard_input() {
    let desk = Desk::new();
    let said = desk.hears(&["exec", "-", "--output", "json"], b"list .\n");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("README.md"), "{said:?}");
    let asked = &desk.asks("recent_turns")[0]["asked"];
    assert!(asked.as_str().unwrap().starts_with("list ."), "{asked}");
}

#[test]
fn a_prompt_that_is_none_is_refused_and_nothing_is_begun() {
    let desk = Desk::new();
    for nothing in ["", " \n\t"] {
        desk.says(&["exec", nothing]).is_usage("empty");
        desk.hears(&["exec", "-"], nothing.as_bytes())
            .is_usage("empty");
    }
    desk.hears(&["exec", "-"], b"caf\xe9").is_usage("UTF-8");
    desk.hears(&["exec", "-"], &vec![b'x'; (1 << 20) + 1])
        .is_usage("at most 1048576 bytes");
    desk.says(&["exec"]).is_usage("<PROMPT>");
    let threads = desk.says(&["threads", "--json"]);
    assert_eq!(
        threads.out, "",
        "a refused prompt leaves no thread: {threads:?}"
    );
}

#[test]
fn the_longest_prompt_is_taken() {
    let desk = Desk::new();
    let model = desk.script(&json!([{ "steps": [{ "text": "ok" }] }]));
    let prompt = vec![b'x'; 1 << 20];
    let said = desk.hears(&["exec", "-", "--model", &model], &prompt);
    assert_eq!(
        (said.code, said.out.as_str()),
        (Some(0), "ok\n"),
        "{said:?}"
    );
}

#[test]
fn bad_options_are_usage_and_name_themselves() {
    let desk = Desk::new();
    desk.says(&["threads"]).is_usage("there is no store here");
    let cases: [(&[&str], &str); 19] = [
        (&[], "Usage"),
        (&["exek"], "unrecognized subcommand 'exek'"),
        (&["exec", "--modle", "x", "go"], "--modle"),
        (&["exec", "--model", "gpt-5", "go"], "gpt-5"),
        (&["exec", "--model", "nobody/x", "go"], "nobody"),
        (
            &["exec", "--model", "rehearsal/absent.json", "go"],
            "absent.json",
        ),
        (
            &["exec", "--model", "anthropic/claude-sonnet", "go"],
            "ANTHROPIC_API_KEY",
        ),
        (&["exec", "--model", "openai/gpt-5", "go"], "OPENAI_API_KEY"),
        (&["exec", "--permission-mode", "yolo", "go"], "yolo"),
        (
            &["exec", "--allow", "net.fetch", "go"],
            "fs.write or process.exec",
        ),
        (
            &["exec", "--allow", "process.exec: ", "go"],
            "after the colon",
        ),
        (&["exec", "--max-answers", "many", "go"], "--max-answers"),
        (&["exec", "--project", "absent", "go"], "absent"),
        (&["exec", "--output", "xml", "go"], "xml"),
        (
            &["exec", "--idempotency-key", "", "go"],
            "--idempotency-key",
        ),
        (
            &["exec", "--idempotency-key", &"k".repeat(1_000), "go"],
            "--idempotency-key",
        ),
        (&["exec", "--thread", "no thread", "go"], "no thread"),
        (&["serve", "--queue-cap", "many"], "many"),
        (&["serve", "--app-server-store", "postgres"], "postgres"),
    ];
    for (typed, words) in cases {
        let said = desk.says(typed);
        said.is_usage(words);
        assert!(said.err.lines().count() < 40, "{said:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_not_panicked_about() {
    use std::os::unix::ffi::OsStrExt as _;
    let desk = Desk::new();
    let mut command = desk.command(&["exec"]);
    command.arg(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    said(command.output().unwrap()).is_usage("UTF-8");
}

#[test]
fn a_thread_is_named_whole_or_by_a_beginning_that_fits_one() {
    let desk = Desk::new();
    let first = desk.exec(&["list ."]);
    let id = first["threadId"].as_str().unwrap().to_owned();
    for name in [&id, &id[..id.len() - 1]] {
        let next = desk.exec(&["--thread", name, "list ."]);
        assert_eq!(next["threadId"], id.as_str());
        assert_ne!(next["turnId"], first["turnId"]);
    }
    let other = desk.exec(&["list ."])["threadId"]
        .as_str()
        .unwrap()
        .to_owned();
    let common = id
        .bytes()
        .zip(other.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    assert!(common > 0, "{id} and {other} begin alike");
    for command in [
        vec!["exec", "list .", "--thread"],
        vec!["show"],
        vec!["verify", "--thread"],
    ] {
        let with = |name| [command.as_slice(), &[name]].concat();
        desk.says(&with(&id[..common])).is_usage("several threads");
        desk.says(&with("absent"))
            .is_usage("there is no thread absent");
    }
}

#[test]
fn a_state_directory_that_cannot_be_ours_is_left_alone() {
    let desk = Desk::new();
    let file = desk.path("file");
    std::fs::write(&file, "mine").unwrap();
    let file = file.to_str().unwrap();
    desk.says(&["exec", "--state-dir", file, "go"])
        .is_usage(file);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");

    let open = desk.path("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::write(open.join("threadkeep.db"), "not a database, but somebody's").unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = desk.says(&["exec", "--state-dir", open.to_str().unwrap(), "go"]);
    said.is_usage("open");
    let kept = std::fs::read_dir(&open).unwrap().any(|entry| {
        std::fs::read(entry.unwrap().path()).unwrap() == b"not a database, but somebody's"
    });
    assert!(kept, "what was there is there: {said:?}");
}

#[test]
fn without_a_directory_sessions_are_kept_in_the_xdg_state_directory() {
    for (variable, value, kept) in [
        ("HOME", "home", "home/.local/state/threadkeep"),
        ("XDG_STATE_HOME", "xdg", "xdg/threadkeep"),
    ] {
        let desk = Desk::new();
        let mut command = desk.command(&["exec", "list ."]);
        command
            .env_remove("THREADKEEP_STATE_DIR")
            .env(variable, desk.path(value));
        assert_eq!(said(command.output().unwrap()).code, Some(0));
        let dir = desk.path(kept);
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(dir.clone()), 0o700);
        assert_eq!(mode(dir.join("threadkeep.db")), 0o600);
    }
}

/// A provider may quote the key it was given, and a library may log what a provider says.
#[tokio::test]
async fn a_key_that_a_provider_quotes_is_shown_nowhere() {
    let quote = format!(r#"{{"error":{{"message":"no such key: {KEY}"}}}}"#);
    for status in [400, 401, 500] {
        let replies = (0..9).map(|_| Reply::status(status, &quote));
        let provider = StubProvider::start(Kind::Chat, replies.collect());
        let desk = Desk::new();
        for form in ["text", "json"] {
            let model = provider.model();
            let mut command = desk.command(&[
                "exec",
                "--output",
                form,
                "--model",
                &model,
                "--max-seconds",
                "2",
                "go",
            ]);
            command.envs(provider.variables());
            let said = tokio::task::spawn_blocking(move || said(command.output().unwrap()));
            let said = said.await.unwrap();
            assert!(matches!(said.code, Some(1 | 2 | 4)), "{status} {said:?}");
            assert!(
                !said.err.contains(KEY) && !said.out.contains(KEY),
                "{status} {said:?}"
            );
        }
        let stored = std::process::Command::new("grep")
            .arg("-rqF")
            .arg(KEY)
            .arg(desk.state())
            .status();
        assert_eq!(
            stored.unwrap().code(),
            Some(1),
            "{status}: the key is in the store"
        );
    }
}
