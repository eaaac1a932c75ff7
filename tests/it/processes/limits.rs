//! Time and size.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Desk, alone, exists};
use threadkeep::kernel::tool::{EffectState, OUTPUT_LIMIT};

#[tokio::test]
async fn a_pipeline_over_its_timeout_is_dead_and_its_output_kept() {
    let desk = Desk::new();
    let begin = Instant::now();
    let outcome = desk
        .run(&json!({
            "command": "echo first; sh -c 'echo $$ >>pids; exec sleep 300' | (echo $$ >>pids; cat) | cat; echo never",
            "timeout_ms": 300,
        }))
        .await;
    assert!(begin.elapsed() < Duration::from_secs(4));
    assert!(outcome.is_error);
    assert!(
        outcome.content.starts_with("first\n[timed out after 30"),
        "{}",
        outcome.content
    );
    assert_eq!(outcome.details["timedOut"], true);
    assert_eq!(outcome.receipts[0].state, EffectState::Unknown);
    let pids = desk.pids();
    assert_eq!(pids.len(), 2);
    for pid in pids {
        assert!(!exists(pid), "{pid} is left");
    }
}

#[tokio::test]
async fn exit_codes_and_signals_are_told() {
    let desk = Desk::new();
    for (command, content, code, signal) in [
        ("true", "[no output]", json!(0), json!(null)),
        (
            "echo out; echo err >&2; exit 3",
            "out\nerr\n[exit code 3]",
            json!(3),
            json!(null),
        ),
        (
            "printf x; kill -SEGV $$",
            "x\n[ended by signal 11]",
            json!(null),
            json!(11),
        ),
    ] {
        let outcome = desk.sh(command).await;
        assert_eq!(outcome.content, content);
        assert_eq!(outcome.details["exitCode"], code);
        assert_eq!(outcome.details["signal"], signal);
        assert_eq!(outcome.is_error, code != json!(0));
        assert_eq!(outcome.receipts[0].state, EffectState::Happened);
        assert_eq!(
            outcome.receipts[0].exit_code,
            code.as_i64().map(|code| i32::try_from(code).unwrap())
        );
    }
}

#[tokio::test]
async fn fifty_megabytes_are_bounded_in_memory_and_kept_whole() {
    if !alone(
        "processes::limits::fifty_megabytes_are_bounded_in_memory_and_kept_whole",
        &[],
    ) {
        return;
    }
    let desk = Desk::new();
    desk.sh("echo warm").await;
    let before = peak_kib();
    let total: u64 = 50 * 1024 * 1024;
    let outcome = desk
        .sh("printf 'FIRST\\n'; head -c 52428780 /dev/zero | tr '\\0' 'x'; printf '\\nab\\0\\377\\033[1mLAST!'")
        .await;
    let grown = peak_kib() - before;
    assert!(grown < 20 * 1024, "memory grew by {grown} KiB");
    assert_eq!(outcome.details["outputBytes"], total);
    let kept = desk.content.only();
    assert_eq!(kept.bytes, total);
    assert_eq!(outcome.details["output"]["digest"], kept.digest.to_string());
    assert!(outcome.content.len() <= OUTPUT_LIMIT);
    assert!(outcome.content.starts_with("FIRST\nxxx"));
    assert!(outcome.content.ends_with("x\nab\u{fffd}\u{fffd}LAST!"));
    let shown = outcome.content.matches('x').count() as u64 + 6 + 14;
    let expected = format!("\n[… {} of {total} bytes left out …]\n", total - shown);
    assert!(outcome.content.contains(&expected), "{expected}");
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn short_output_is_kept_only_when_the_model_does_not_see_it_as_it_is() {
    let desk = Desk::new();
    let outcome = desk.sh("printf 'plain ünïcode\\ttab\\r\\n'").await;
    assert_eq!(outcome.content, "plain ünïcode\ttab\r\n");
    assert_eq!(outcome.details["output"], json!(null));

    let raw = b"\x1b[31mred\x1b[0m\0\xff end";
    let outcome = desk.sh("printf '\\033[31mred\\033[0m\\0\\377 end'").await;
    assert_eq!(outcome.content, "red\u{fffd}\u{fffd} end");
    let kept = desk.content.only();
    assert_eq!(desk.content.bytes(kept), raw);
}

#[tokio::test]
async fn a_noisy_background_does_not_hold_the_call() {
    let desk = Desk::new();
    let begin = Instant::now();
    let outcome = desk.sh("yes & echo $! > pids").await;
    assert!(begin.elapsed() < Duration::from_secs(3));
    assert!(!outcome.is_error);
    assert_eq!(desk.session.processes.end(super::DEADLINE).await, []);
    assert!(!exists(desk.pids()[0]));
}

#[tokio::test]
async fn output_over_the_disk_limit_is_counted_and_not_kept() {
    let desk = Desk::new();
    let outcome = desk.sh("head -c 300000000 /dev/zero | tr '\\0' 'x'").await;
    assert_eq!(outcome.details["outputBytes"], 300_000_000);
    assert_eq!(desk.content.only().bytes, 256 * 1024 * 1024);
    assert!(
        outcome
            .content
            .ends_with("\n[only the first 268435456 of 300000000 bytes of output were kept]"),
        "{}",
        &outcome.content[outcome.content.len() - 100..]
    );
}
