//! What a command leaves behind.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{DEADLINE, Desk, UNTIL_LISTED, alone, children, exists};
use threadkeep::kernel::tool::{EffectState, Tool as _};

#[tokio::test]
async fn a_call_returns_when_its_shell_exits_though_a_child_keeps_the_pipe() {
    let desk = Desk::new();
    let begin = Instant::now();
    let outcome = desk.sh("echo before; sleep 300 & echo $! > pids").await;
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(
        outcome.content.starts_with("before\n"),
        "{}",
        outcome.content
    );
    assert!(!outcome.is_error);
    let pids = desk.pids();
    assert!(exists(pids[0]), "what is in the background goes on");

    let next = desk.sh("kill -0 $(cat pids) && echo alive").await;
    assert_eq!(next.content, "alive\n");
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
    assert!(!exists(pids[0]));
}

#[tokio::test]
async fn a_server_in_the_background_may_go_on_writing() {
    let desk = Desk::new();
    let server = r"sh -c 'echo $$ >> pids
        while [ $((n += 1)) -lt 3000 ]; do echo more; sleep 0.01; done' &";
    desk.sh(&format!("{server} {UNTIL_LISTED}")).await;
    let outcome = desk
        .sh("sleep 0.2; kill -0 $(cat pids) && echo alive")
        .await;
    assert_eq!(outcome.content, "alive\n");
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
}

/// Each writes its pid to `pids` and does not mean to end soon. All of them do end, so that a machine
/// survives a test that fails: those that fork all the time after so many generations and seconds.
const STAYERS: [(&str, &str); 10] = [
    ("in its group", "sh -c 'echo $$ >>pids; exec sleep 300' &"),
    (
        "in a session of its own",
        "setsid sh -c 'echo $$ >>pids; exec sleep 300' &",
    ),
    (
        "forked twice",
        r#"(setsid sh -c 'sh -c "echo \$\$ >>pids; exec sleep 300" &' &)"#,
    ),
    (
        "deaf to SIGTERM",
        "sh -c 'trap \"\" TERM HUP INT; echo $$ >>pids; while [ $((n += 1)) -lt 300 ]; do sleep 1; done' &",
    ),
    (
        "deaf, in a session of its own",
        "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ >>pids; while [ $((n += 1)) -lt 300 ]; do sleep 1; done' &",
    ),
    ("stopped", "sh -c 'echo $$ >>pids; kill -STOP $$' &"),
    (
        "without environment",
        "env -i setsid sh -c 'echo $$ >>pids; exec sleep 300' &",
    ),
    (
        "a daemon without environment",
        r#"env -i perl -MPOSIX -e 'fork and exit; POSIX::setsid(); fork and exit;
            open F, ">>pids"; print F "$$\n"; close F;
            close STDIN; close STDOUT; close STDERR; sleep 300' &"#,
    ),
    (
        "a crowd that forks and exits all the time",
        r#"perl -e '$SIG{TERM} = "IGNORE"; open F, ">>pids"; print F "$$\n"; close F;
            $end = time + 20; fork for 1..3;
            for (1..10000) { last if time > $end; fork and exit; }' &"#,
    ),
    (
        "forking, leaving its session and exiting all the time",
        r#"perl -MPOSIX -e '$SIG{TERM} = "IGNORE"; open F, ">>pids"; print F "$$\n"; close F;
            $end = time + 20;
            for (1..9000) { last if time > $end; fork and exit; POSIX::setsid(); }' &"#,
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_a_program_does_to_stay_it_is_gone_when_its_turn_ends() {
    // Alone: without its environment an orphan can only be told from those of other turns when
    // there are none.
    if !alone(
        "processes::background::whatever_a_program_does_to_stay_it_is_gone_when_its_turn_ends",
        &[],
    ) {
        return;
    }
    for (name, stayer) in STAYERS {
        let desk = Desk::new();
        let command = format!("{stayer}\n{UNTIL_LISTED}");
        let outcome = desk.sh(&command).await;
        assert!(!outcome.is_error, "{name}: {}", outcome.content);
        let pids = desk.pids();
        assert!(!pids.is_empty(), "{name}");
        assert_eq!(desk.session.processes.end(DEADLINE).await, [], "{name}");
        for pid in pids {
            assert!(!exists(pid), "{name}: {pid} is left");
        }
        assert_eq!(children(), Vec::<i32>::new(), "{name}");
    }
}

#[tokio::test]
async fn a_cancelled_call_returns_when_its_processes_are_gone() {
    for (name, stayer) in &STAYERS[..5] {
        let desk = Desk::new();
        let plan = desk
            .plan(&json!({ "command": format!("{stayer}\necho out; echo $$ >> pids; sleep 300") }))
            .await;
        let cancel = CancellationToken::new();
        let stop = async {
            while desk.pids().len() < 2 {
                tokio::task::yield_now().await;
            }
            cancel.cancel();
        };
        let run = desk.shell.run(plan, &desk.session, cancel.clone());
        let both = async { tokio::join!(run, stop) };
        let (outcome, ()) = tokio::time::timeout(DEADLINE, both).await.unwrap();
        for pid in desk.pids() {
            assert!(!exists(pid), "{name}: {pid} is left");
        }
        assert!(outcome.is_error);
        assert!(
            outcome.content.starts_with("out\n[cancelled after "),
            "{name}: {}",
            outcome.content
        );
        assert_eq!(outcome.receipts[0].state, EffectState::Unknown);
        assert_eq!(outcome.details["cancelled"], true);
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_starts_did_not_happen() {
    let desk = Desk::new();
    let plan = desk.plan(&json!({ "command": "touch made" })).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = desk.shell.run(plan, &desk.session, cancel).await;
    assert_eq!(outcome.receipts[0].state, EffectState::DidNotHappen);
    assert!(!desk.path("made").exists());
}

#[tokio::test]
async fn one_call_that_is_killed_leaves_the_background_of_another_alone() {
    let desk = Desk::new();
    desk.sh("sleep 300 & echo $! > pids").await;
    let outcome = desk
        .run(&json!({ "command": "sleep 300", "timeout_ms": 50 }))
        .await;
    assert_eq!(outcome.details["timedOut"], true);
    assert!(exists(desk.pids()[0]));
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
    assert!(!exists(desk.pids()[0]));
}

#[tokio::test]
async fn a_scope_that_has_ended_starts_nothing() {
    let desk = Desk::new();
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
    let outcome = desk.sh("touch made").await;
    assert!(outcome.is_error);
    assert_eq!(outcome.receipts[0].state, EffectState::DidNotHappen);
    assert!(!desk.path("made").exists());
}
