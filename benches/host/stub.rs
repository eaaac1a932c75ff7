use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Deltas one answer has.
pub const DELTAS: u32 = 1_000;
/// One every so often: 500 a second.
pub const EVERY: Duration = Duration::from_millis(2);

/// A provider that speaks Chat Completions and writes the time of each piece into it, in µs since
/// `origin`. Returns its address.
pub fn provider(origin: Instant) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream, origin));
        }
    });
    format!("http://{address}/v1")
}

fn answer(mut stream: TcpStream, origin: Instant) {
    stream.set_nodelay(true).expect("no delay");
    let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).expect("a host");
    let began = Instant::now();
    for n in 0..DELTAS {
        let due = EVERY * n;
        std::thread::sleep(due.saturating_sub(began.elapsed()));
        let at = origin.elapsed().as_micros();
        let piece = format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"<{at}>\"}}}}]}}\n\n"
        );
        stream.write_all(piece.as_bytes()).expect("a host");
    }
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\
               \"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"total_tokens\":2}}\n\ndata: [DONE]\n\n";
    stream.write_all(end.as_bytes()).expect("a host");
}

/// The same answer read by nothing but a socket: what the stub, the machine and a reader cost
/// without us. Returns the delays in µs.
pub fn alone(url: &str, origin: Instant) -> Vec<u128> {
    let address = url.trim_start_matches("http://").trim_end_matches("/v1");
    let mut stream = TcpStream::connect(address).expect("the stub");
    stream
        .write_all(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 0\r\n\r\n")
        .expect("the stub reads");
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.filter_map(|line| delay(&line, origin)).collect()
}

/// The delay of a line that holds a time, in µs.
pub fn delay(line: &str, origin: Instant) -> Option<u128> {
    let now = origin.elapsed().as_micros();
    let (_, rest) = line.split_once('<')?;
    let (at, _) = rest.split_once('>')?;
    Some(now.saturating_sub(at.parse().ok()?))
}
