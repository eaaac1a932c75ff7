//! What a host sees of the service: start, turns, deltas, memory. The targets are in
//! docs/PERFORMANCE.md.
//!
//! `cargo bench --bench host [-- NAME]`: all measurements, or the one of that name.

#![allow(clippy::expect_used, clippy::print_stdout, clippy::cast_precision_loss)]

mod host;
mod stub;

use std::time::{Duration, Instant};

use host::{Host, Setting};
use serde_json::{Value, json};
use tempfile::TempDir;

fn main() {
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let all: [(&str, fn()); 8] = [
        ("start", start),
        ("turns", turns),
        ("deltas", deltas),
        ("latency", latency),
        ("threads", threads),
        ("reading", reading),
        ("burst", burst),
        ("silence", silence),
    ];
    for (name, measure) in all {
        if only.as_ref().is_none_or(|only| only == name) {
            measure();
        }
    }
}

/// A place with a script in it.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            dir: TempDir::new().expect("a directory"),
        }
    }

    fn host(&self, steps: &Value) -> Host {
        let script = self.dir.path().join("script.json");
        let text = json!({ "replies": [{ "steps": steps }], "repeat_last": true }).to_string();
        std::fs::write(&script, text).expect("a script");
        self.start(&format!("rehearsal/{}", script.display()), None)
    }

    fn start(&self, model: &str, base_url: Option<&str>) -> Host {
        Host::start(&Setting {
            state: &self.dir.path().join("state"),
            model,
            base_url,
        })
    }
}

fn one_delta() -> Value {
    json!([{ "text": "Hello." }])
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median<T: Copy + PartialOrd>(values: &mut [T]) -> T {
    quantile(values, 0.5)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn quantile<T: Copy + PartialOrd>(values: &mut [T], part: f64) -> T {
    values.sort_by(|a, b| a.partial_cmp(b).expect("an order"));
    values[((values.len() - 1) as f64 * part) as usize]
}

fn start() {
    let place = Place::new();
    place.host(&one_delta()).stop();
    let (mut started, mut stopped, mut idle) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..40 {
        let began = Instant::now();
        let host = place.start("rehearsal/default", None);
        started.push(began.elapsed());
        idle.push(host.proc("status", "VmRSS:"));
        stopped.push(host.stop());
    }
    let mut bare: Vec<Duration> = (0..40).map(|_| bare_start()).collect();
    println!(
        "start to initialize {:.2} ms (a process that does nothing: {:.2} ms) · end of input to exit {:.1} ms · idle {:.1} MB",
        ms(median(&mut started)),
        ms(median(&mut bare)),
        ms(median(&mut stopped)),
        median(&mut idle) as f64 / 1024.0
    );
}

fn bare_start() -> Duration {
    let began = Instant::now();
    let status = std::process::Command::new("true").status();
    assert!(status.is_ok());
    began.elapsed()
}

fn turns() {
    let place = Place::new();
    let mut host = place.host(&one_delta());
    let mut started: Vec<Duration> = (0..200)
        .map(|_| {
            let began = Instant::now();
            host.thread();
            began.elapsed()
        })
        .collect();
    let thread = host.thread();
    let before = host.proc("io", "write_bytes:");
    let times: Vec<Duration> = (0..510).map(|_| host.turn(&thread).0).collect();
    let written = host.proc("io", "write_bytes:") - before;
    let (early, late) = (
        median(&mut times[1..21].to_vec()),
        median(&mut times[490..].to_vec()),
    );
    println!(
        "thread/start {:.2} ms · one-delta turn {:.2} ms at turn 2, {:.2} ms at turn 500: ratio {:.2} · {:.1} KB written a turn",
        ms(median(&mut started)),
        ms(early),
        ms(late),
        late.as_secs_f64() / early.as_secs_f64(),
        written as f64 / 510.0 / 1024.0
    );
    let mut resumed: Vec<Duration> = (0..10)
        .map(|_| host.read_all("thread/resume", &thread, 4_080))
        .collect();
    println!("resume of 510 turns {:.1} ms", ms(median(&mut resumed)));
    host.stop();
}

fn deltas() {
    let place = Place::new();
    let mut host = place.host(&json!([{ "text": "word {n} ", "repeat": 50_000 }]));
    let thread = host.thread();
    let mut rates: Vec<f64> = (0..3)
        .map(|_| {
            let (took, deltas) = host.turn(&thread);
            deltas as f64 / took.as_secs_f64()
        })
        .collect();
    println!("{:.0} deltas/s stored and read", median(&mut rates));
    host.stop();
}

fn latency() {
    let origin = Instant::now();
    let url = stub::provider(origin);
    let place = Place::new();
    let mut host = place.start("openai-chat/stub", Some(&url));
    let thread = host.thread();
    let mut ours = Vec::new();
    let mut alone = Vec::new();
    for _ in 0..3 {
        host.send("turn/start", &json!({ "threadId": thread, "input": "go" }));
        loop {
            let line = host.line();
            let delta = line.contains(r#""item/delta""#);
            if delta {
                ours.extend(stub::delay(line, origin));
            } else if line.contains(r#""turn/completed""#) {
                break;
            }
        }
        alone.extend(stub::alone(&url, origin));
    }
    let line = |name: &str, delays: &mut [u128]| {
        println!(
            "delta latency, {name}: p50 {:.3} ms, p99 {:.3} ms",
            median(delays) as f64 / 1e3,
            quantile(delays, 0.99) as f64 / 1e3
        );
    };
    line("provider's bytes to host's line", &mut ours);
    line("the stub and a reader alone", &mut alone);
    host.stop();
}

fn threads() {
    let place = Place::new();
    let mut host = place.host(&one_delta());
    for _ in 0..1_000 {
        let thread = host.thread();
        host.turn(&thread);
    }
    let mut listed: Vec<Duration> = (0..50)
        .map(|_| {
            let began = Instant::now();
            host.ask("thread/list", &json!({ "limit": 100 }));
            began.elapsed()
        })
        .collect();
    println!(
        "1,000 threads with a turn each: {:.1} MB, {} open files · thread/list of 100 {:.2} ms",
        host.proc("status", "VmRSS:") as f64 / 1024.0,
        host.open_files(),
        ms(median(&mut listed))
    );
    host.stop();
}

fn reading() {
    let place = Place::new();
    let mut host = place.host(&json!([{ "text": "word {n} ", "repeat": 9_990 }]));
    let thread = host.thread();
    host.turn(&thread);
    let mut read: Vec<Duration> = (0..10)
        .map(|_| host.read_all("thread/read", &thread, 9_990))
        .collect();
    println!(
        "thread/read of 10,000 events {:.1} ms",
        ms(median(&mut read))
    );
    host.stop();
}

fn burst() {
    let place = Place::new();
    let mut host = place.host(&one_delta());
    for _ in 0..1_000 {
        host.send("thread/start", &json!({}));
    }
    let (mut answered, mut refused) = (0, 0);
    while answered < 1_000 {
        let message = host.message();
        if message["id"].is_u64() {
            answered += 1;
            refused += usize::from(message["error"]["code"] == -32_001);
        }
    }
    println!("burst of 1,000 requests: {answered} answered, {refused} of them told to come back");
    host.stop();
}

fn silence() {
    let place = Place::new();
    let mut host = place.host(&json!([{ "text": "word {n} ", "repeat": 200_000 }]));
    let thread = host.thread();
    let before = host.proc("status", "VmRSS:");
    host.send("turn/start", &json!({ "threadId": thread, "input": "go" }));
    std::thread::sleep(Duration::from_secs(8));
    println!(
        "a host that stops reading for 8 s in a turn of 200,000 deltas: {:.1} MB before, {:.1} MB then",
        before as f64 / 1024.0,
        host.proc("status", "VmRSS:") as f64 / 1024.0
    );
    host.stop();
}
