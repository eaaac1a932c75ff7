//! A local server that speaks a provider's stream, for tests inside this process and for programs
//! they start: it listens on a port of its own at 127.0.0.1 until it is dropped.
//!
//! ```ignore
//! let provider = StubProvider::start(Kind::Anthropic, vec![
//!     Reply::says(&[Say::call("c1", "list_dir", json!({ "path": "." }))]),
//!     Reply::says(&[Say::text("two files")]),
//! ]);
//! command.envs(provider.variables()).args(["--model", &provider.model()]);
//! ```

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use serde_json::Value;
use threadkeep::kernel::model::{Environment, RetryPolicy, Waits};

use super::dialect;

/// The key every stub is given; it must never show up anywhere else.
pub const KEY: &str = "sk-stub-0123456789-secret";

/// The ways providers are spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Responses,
    Chat,
    Anthropic,
    Ollama,
    Gemini,
}

/// One thing a model says.
#[derive(Debug, Clone)]
pub enum Say {
    Text(String),
    Reasoning(String),
    Call {
        id: String,
        name: String,
        arguments: Value,
    },
}

impl Say {
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    pub fn reasoning(text: &str) -> Self {
        Self::Reasoning(text.into())
    }

    pub fn call(id: &str, name: &str, arguments: Value) -> Self {
        Self::Call {
            id: id.into(),
            name: name.into(),
            arguments,
        }
    }
}

/// How one request is answered.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A whole answer, as the provider writes it, costing 10 tokens in and 5 out.
    Says(Vec<Say>),
    /// A stream to the byte. Each piece is sent by itself.
    Pieces(Vec<Vec<u8>>, Ending),
    /// A whole stream whose pieces are each sent only when the test says so.
    OnDemand(Vec<String>, Demand),
    /// An answer without a stream.
    Status(u16, Vec<(&'static str, String)>, String),
    /// The connection is closed before the first byte.
    Nothing,
}

/// Lets a stream go on by one piece for each `()` sent to the other side.
pub type Demand = Arc<Mutex<mpsc::Receiver<()>>>;

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As it should.
    Whole,
    /// The connection breaks.
    Cut,
    /// The connection stays open until the other side closes it.
    Open,
}

impl Reply {
    pub fn says(said: &[Say]) -> Self {
        Self::Says(said.to_vec())
    }

    /// A whole stream of these pieces.
    pub fn pieces(pieces: &[&str]) -> Self {
        Self::ending(pieces, Ending::Whole)
    }

    pub fn ending(pieces: &[&str], ending: Ending) -> Self {
        let pieces = pieces.iter().map(|piece| piece.as_bytes().to_vec());
        Self::Pieces(pieces.collect(), ending)
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self::Status(status, Vec::new(), body.into())
    }

    pub fn retry_after(status: u16, after: &str) -> Self {
        let headers = vec![("retry-after", after.to_owned())];
        Self::Status(
            status,
            headers,
            r#"{"error":{"message":"slow down"}}"#.into(),
        )
    }
}

/// A request as the stub saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }
}

/// The server.
pub struct StubProvider {
    kind: Kind,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    kind: Kind,
    replies: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<Seen>>,
    over: AtomicBool,
    /// Connections that the other side closed while a reply was still going on.
    left: Mutex<usize>,
}

impl StubProvider {
    /// Answers one request after the other with `replies`.
    pub fn start(kind: Kind, replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            kind,
            replies: Mutex::new(replies.into()),
            seen: Mutex::default(),
            over: AtomicBool::new(false),
            left: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        thread::spawn(move || serve(&listener, &served));
        Self {
            kind,
            address,
            shared,
        }
    }

    /// A model name that means this provider.
    pub fn model(&self) -> String {
        let provider = match self.kind {
            Kind::Responses => "openai",
            Kind::Chat => "openai-chat",
            Kind::Anthropic => "anthropic",
            Kind::Ollama => "ollama",
            Kind::Gemini => "gemini",
        };
        format!("{provider}/stub-model")
    }

    /// Environment variables that lead a program here.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let base = format!("http://{}", self.address);
        let (address, key) = match self.kind {
            Kind::Responses | Kind::Chat => {
                (("OPENAI_BASE_URL", format!("{base}/v1")), "OPENAI_API_KEY")
            }
            Kind::Anthropic => (("ANTHROPIC_BASE_URL", base), "ANTHROPIC_API_KEY"),
            Kind::Ollama => (("OLLAMA_HOST", base), "OLLAMA_API_KEY"),
            Kind::Gemini => (("GOOGLE_GEMINI_BASE_URL", base), "GEMINI_API_KEY"),
        };
        vec![address, (key, KEY.to_owned())]
    }

    /// The same for a model opened in this process; waits between attempts are skipped.
    pub fn environment(&self) -> Environment {
        let variables = self.variables();
        let mut environment = Environment::from_variables(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        });
        environment.retry = RetryPolicy {
            waits: Waits::Skipped,
            ..RetryPolicy::default()
        };
        environment
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// How many connections were left in the middle of a reply.
    pub fn left(&self) -> usize {
        *self.shared.left.lock().unwrap()
    }
}

impl Drop for StubProvider {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(connection) = connection else { return };
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            let peer = connection.try_clone();
            if answer(&connection, &shared).is_err() {
                *shared.left.lock().unwrap() += 1;
            }
            if let Ok(peer) = peer {
                let _ = peer.shutdown(Shutdown::Both);
            }
        });
    }
}

fn answer(mut connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let Some(seen) = receive(connection)? else {
        return Ok(());
    };
    let fits = seen.path.ends_with(dialect::path(shared.kind));
    shared.seen.lock().unwrap().push(seen);
    if !fits {
        return status(connection, 404, &[], "not here");
    }
    let reply = shared.replies.lock().unwrap().pop_front();
    match reply {
        None => status(connection, 500, &[], "the stub has no reply left"),
        Some(Reply::Nothing) => Ok(()),
        Some(Reply::Status(code, headers, body)) => status(connection, code, &headers, &body),
        Some(Reply::Says(said)) => {
            let pieces = dialect::render(shared.kind, &said);
            begin(connection, shared.kind)?;
            for piece in pieces {
                send(connection, piece.as_bytes())?;
            }
            end(connection, Ending::Whole)
        }
        Some(Reply::Pieces(pieces, ending)) => {
            begin(connection, shared.kind)?;
            for piece in pieces {
                send(connection, &piece)?;
            }
            end(connection, ending)
        }
        Some(Reply::OnDemand(pieces, demand)) => {
            begin(connection, shared.kind)?;
            let demand = demand.lock().unwrap();
            for piece in pieces {
                let _ = demand.recv();
                send(connection, piece.as_bytes())?;
            }
            end(connection, Ending::Whole)
        }
    }?;
    connection.flush()
}

fn receive(connection: &TcpStream) -> io::Result<Option<Seen>> {
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Seen {
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    }))
}

fn status(
    mut connection: &TcpStream,
    code: u16,
    headers: &[(&'static str, String)],
    body: &str,
) -> io::Result<()> {
    write!(
        connection,
        "HTTP/1.1 {code} Status\r\ncontent-type: application/json\r\n"
    )?;
    for (name, value) in headers {
        write!(connection, "{name}: {value}\r\n")?;
    }
    let length = body.len();
    write!(
        connection,
        "content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn begin(mut connection: &TcpStream, kind: Kind) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {}\r\ntransfer-encoding: chunked\r\n\
         connection: close\r\n\r\n",
        dialect::content_type(kind)
    );
    connection.write_all(head.as_bytes())
}

fn send(mut connection: &TcpStream, piece: &[u8]) -> io::Result<()> {
    let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
    chunk.extend(piece);
    chunk.extend(b"\r\n");
    connection.write_all(&chunk)
}

fn end(mut connection: &TcpStream, ending: Ending) -> io::Result<()> {
    match ending {
        Ending::Whole => connection.write_all(b"0\r\n\r\n"),
        Ending::Cut => Ok(()),
        Ending::Open => {
            let mut nothing = [0; 1];
            match connection.read(&mut nothing) {
                Ok(0) | Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
                Ok(_) => Ok(()),
            }
        }
    }
}
