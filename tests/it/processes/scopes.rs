//! What belongs to which scope, and what to none.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use threadkeep::kernel::process::{MARKER, Program};

use super::{DEADLINE, Desk, UNTIL_LISTED, alone, children, exists};

/// Leaves a process behind that shows nothing of where it comes from, once its parent is gone: seen
/// before that, it would be known by it.
const STRANGER: &str = r#"env -i perl -MPOSIX -e 'fork and exit; POSIX::setsid(); $parent = $$;
    fork and exit; select(undef, undef, undef, 0.001) while getppid() == $parent;
    open F, ">>pids"; print F "$$\n"; close F; close STDOUT; close STDERR; sleep 300' &"#;

#[tokio::test]
async fn who_is_left_at_the_deadline_is_told_with_its_command() {
    let desk = Desk::new();
    let quiet = "sh -c 'trap \"\" TERM; echo $$ >> pids; exec sleep 300' &";
    desk.sh(&format!("{quiet} {UNTIL_LISTED}")).await;
    let survivors = desk.session.processes.end(Duration::ZERO).await;
    assert_eq!(survivors.len(), 1);
    assert_eq!(survivors[0].pid, desk.pids()[0]);
    assert_eq!(survivors[0].command, "sleep 300");
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
    assert!(!exists(desk.pids()[0]));
}

#[tokio::test]
async fn a_stranger_is_gone_with_the_last_turn_that_may_have_started_it() {
    let name = "processes::scopes::a_stranger_is_gone_with_the_last_turn_that_may_have_started_it";
    if !alone(name, &[]) {
        return;
    }
    let (first, second) = (Desk::new(), Desk::new());
    second.sh("true").await;
    first.sh(&format!("{STRANGER} {UNTIL_LISTED}")).await;
    let stranger = first.pids()[0];
    assert_eq!(first.session.processes.end(DEADLINE).await, []);
    assert!(exists(stranger), "it may be of the other turn");
    assert_eq!(second.session.processes.end(DEADLINE).await, []);
    assert!(!exists(stranger));

    let (first, second) = (Desk::new(), Desk::new());
    first.sh(&format!("{STRANGER} {UNTIL_LISTED}")).await;
    let stranger = first.pids()[0];
    second.sh("true").await;
    assert_eq!(second.session.processes.end(DEADLINE).await, []);
    assert!(exists(stranger), "it is older than this turn's programs");
    assert_eq!(first.session.processes.end(DEADLINE).await, []);
    assert!(!exists(stranger));
}

#[tokio::test]
async fn no_program_of_another_scope_is_touched() {
    let (mine, other) = (Desk::new(), Desk::new());
    mine.sh("setsid sleep 300 & echo $! > pids").await;
    other.sh("setsid sleep 300 & echo $! > pids").await;
    assert_eq!(mine.session.processes.end(DEADLINE).await, []);
    assert!(exists(other.pids()[0]));
    assert_eq!(other.session.processes.end(DEADLINE).await, []);
    assert!(!exists(other.pids()[0]));
}

#[tokio::test]
async fn the_exit_status_of_a_child_started_elsewhere_is_left_to_who_waits_for_it() {
    let mut child = Command::new("sh").args(["-c", "exit 7"]).spawn().unwrap();
    let stat = format!("/proc/{}/stat", child.id());
    while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
        tokio::task::yield_now().await;
    }
    let desk = Desk::new();
    desk.sh("sleep 0.01 & true").await;
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_exit_status_of_a_program_is_lost_to_who_reaps_orphans() {
    let desk = Desk::new();
    for _ in 0..20 {
        let eight = (0..8).map(|_| desk.sh("exit 7"));
        for outcome in futures_util::future::join_all(eight).await {
            assert_eq!(outcome.details["exitCode"], 7, "{}", outcome.content);
        }
    }
    assert_eq!(desk.session.processes.end(DEADLINE).await, []);
}

#[tokio::test]
async fn a_session_inside_a_program_of_another_keeps_both_marks() {
    let name = "processes::scopes::a_session_inside_a_program_of_another_keeps_both_marks";
    if !alone(name, &[(MARKER, "outer.1,")]) {
        return;
    }
    let desk = Desk::new();
    let outcome = desk.sh(&format!("echo ${MARKER}")).await;
    let marks: Vec<&str> = outcome.content.trim().split(',').collect();
    assert_eq!((marks.len(), marks[0], marks[2]), (3, "outer.1", ""));
    assert_eq!(marks[1].len(), "0123456789abcdef0123456789abcdef.0".len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_started_while_its_scope_ends_is_not_missed() {
    let name = "processes::scopes::a_program_started_while_its_scope_ends_is_not_missed";
    if !alone(name, &[]) {
        return;
    }
    for _ in 0..20 {
        let desk = Desk::new();
        let program = Program {
            argv: vec!["sleep".to_owned(), "300".to_owned()],
            directory: desk.path("."),
        };
        let scope = Arc::clone(&desk.session.processes);
        let starting = tokio::task::spawn_blocking(move || {
            let runtime = tokio::runtime::Handle::current();
            let _inside = runtime.enter();
            // Bounded: a machine survives a scope that never closes.
            (0..2_000).any(|_| scope.start(&program).is_err())
        });
        while children().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(desk.session.processes.end(DEADLINE).await, []);
        assert!(starting.await.unwrap(), "the scope never closed");
        assert_eq!(children(), Vec::<i32>::new());
    }
}
