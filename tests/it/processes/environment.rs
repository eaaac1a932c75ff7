//! What a program is given.

use serde_json::json;

use super::{DEADLINE, Desk, alone, children};
use threadkeep::kernel::process::WITHHELD;
use threadkeep::kernel::tool::EffectState;

#[tokio::test]
async fn standard_input_is_at_its_end_and_there_is_no_terminal() {
    let desk = Desk::new();
    let outcome = desk
        .sh("cat; read x || echo none; (: < /dev/tty) 2>&1; cut -d' ' -f7 /proc/$$/stat; tty")
        .await;
    let text = outcome.content;
    assert!(text.starts_with("none\n"), "{text}");
    assert!(
        text.contains("No such device or address\n0\nnot a tty\n"),
        "{text}"
    );
}

#[tokio::test]
async fn a_program_leads_its_own_session_and_group() {
    let desk = Desk::new();
    let outcome = desk.sh("cut -d' ' -f1,5,6 /proc/$$/stat").await;
    let pid = outcome.details["pid"].as_i64().unwrap();
    assert_eq!(outcome.content, format!("{pid} {pid} {pid}\n"));
}

#[tokio::test]
async fn keys_of_providers_are_not_in_the_environment() {
    let name = "processes::environment::keys_of_providers_are_not_in_the_environment";
    let mut variables: Vec<(&str, &str)> =
        WITHHELD.iter().map(|name| (*name, "sk-secret")).collect();
    variables.push(("KEPT", "yes"));
    if !alone(name, &variables) {
        return;
    }
    let desk = Desk::new();
    let outcome = desk.sh("env").await;
    assert!(outcome.content.contains("KEPT=yes\n"));
    assert!(
        !outcome.content.contains("sk-secret"),
        "{}",
        outcome.content
    );
}

#[tokio::test]
async fn no_file_of_this_process_is_open_in_a_program() {
    let desk = Desk::new();
    let _open = std::fs::File::create(desk.path("open")).unwrap();
    let outcome = desk
        .run(&json!({ "argv": ["ls", "-l", "/proc/self/fd"] }))
        .await;
    assert!(
        outcome.content.contains("1 -> pipe:["),
        "{}",
        outcome.content
    );
    assert!(!outcome.content.contains("/open"), "{}", outcome.content);
}

#[tokio::test]
async fn argv_is_run_without_a_shell_in_its_directory() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("sub")).unwrap();
    let outcome = desk
        .run(&json!({ "argv": ["printf", "%s|", "$HOME", "a b", "*"], "cwd": "sub" }))
        .await;
    assert_eq!(outcome.content, "$HOME|a b|*|");
    let outcome = desk
        .run(&json!({ "argv": ["pwd", "-P"], "cwd": "./sub/." }))
        .await;
    let expected = desk.path("sub").canonicalize().unwrap();
    assert_eq!(outcome.content.trim(), expected.to_str().unwrap());
}

#[tokio::test]
async fn what_cannot_be_started_did_not_happen_and_says_why() {
    let desk = Desk::new();
    std::fs::write(desk.path("plain"), "echo no").unwrap();
    for (argv, why) in [
        (
            ["no-such-program-here", ""],
            "program not found: no-such-program-here",
        ),
        (["./plain", ""], "not allowed to run ./plain"),
    ] {
        let outcome = desk.run(&json!({ "argv": argv })).await;
        assert!(outcome.is_error);
        assert!(outcome.content.starts_with(why), "{}", outcome.content);
        assert_eq!(outcome.receipts.len(), 1);
        assert_eq!(outcome.receipts[0].state, EffectState::DidNotHappen);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_commands_leave_no_zombie_and_no_open_file() {
    let name = "processes::environment::a_thousand_commands_leave_no_zombie_and_no_open_file";
    if !alone(name, &[]) {
        return;
    }
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let first = Desk::new();
    first.sh("true").await;
    assert_eq!(first.session.processes.end(DEADLINE).await, []);
    let desk = Desk::new();
    let before = open();
    for _ in 0..1_000 {
        let outcome = desk.sh("(true &) ; echo x").await;
        assert!(outcome.content.starts_with("x\n"), "{}", outcome.content);
    }
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
    // The runtime closes files on threads of its own, a moment later.
    let deadline = std::time::Instant::now() + DEADLINE;
    while open() > before && std::time::Instant::now() < deadline {
        tokio::task::yield_now().await;
    }
    assert_eq!(open(), before);
    assert_eq!(children(), Vec::<i32>::new(), "zombies");
}
