//! A host within the process: it speaks lines with a server over a pipe.

use std::collections::VecDeque;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Value, json};
use threadkeep::kernel::Kernel;
use threadkeep::server::{self, ExitReason, ServeOptions};
use threadkeep::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use crate::kernel::stand::Stand;

/// The most a pipe holds, as Linux makes them.
const PIPE: usize = 64 * 1024;
/// How long anything may take before a test counts as hung.
const PATIENCE: Duration = Duration::from_secs(30);

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema = include_str!("../../../fixtures/wire-v1.schema.json");
    jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
});

/// The message of one line, which must be one of the contract's.
pub(super) fn checked(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|error| {
        panic!("a line that is not JSON ({error}): {line}");
    });
    let problems: Vec<String> = SCHEMA
        .iter_errors(&message)
        .map(|e| e.to_string())
        .collect();
    assert!(problems.is_empty(), "{message:#}\n{problems:#?}");
    message
}

pub(super) struct Host {
    pub stand: Stand,
    pub kernel: Kernel,
    input: Option<WriteHalf<DuplexStream>>,
    output: BufReader<ReadHalf<DuplexStream>>,
    serving: JoinHandle<ExitReason>,
    asked: u64,
    /// What came while a response was waited for.
    told: VecDeque<Value>,
}

impl Host {
    /// A host that was introduced, over a model that gives `replies`.
    pub async fn new(replies: &Value) -> Self {
        let mut host = Self::stranger(replies, ServeOptions::default()).await;
        host.introduce(json!({})).await;
        host
    }

    /// A host that was not.
    pub async fn stranger(replies: &Value, options: ServeOptions) -> Self {
        let stand = Stand::new().await;
        let kernel = stand.kernel(replies);
        Self::on(stand, kernel, options)
    }

    pub fn on(stand: Stand, kernel: Kernel, options: ServeOptions) -> Self {
        let (near, far) = tokio::io::duplex(PIPE);
        let (far_input, far_output) = tokio::io::split(far);
        let transport = Transport::over(far_input, far_output);
        let store = stand.store.clone();
        let serving = tokio::spawn(server::serve(transport, store, kernel.clone(), options));
        let (output, input) = tokio::io::split(near);
        Self {
            stand,
            kernel,
            input: Some(input),
            output: BufReader::new(output),
            serving,
            asked: 0,
            told: VecDeque::new(),
        }
    }

    /// Introduces the host with `changes` to the usual parameters.
    pub async fn introduce(&mut self, changes: Value) -> Value {
        let mut params = json!({
            "protocolVersion": 1,
            "minimumProtocolVersion": 1,
            "client": { "name": "test", "version": "1" },
        });
        let members = params.as_object_mut().unwrap();
        members.extend(changes.as_object().unwrap().clone());
        self.ask("initialize", params).await
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        let written = tokio::time::timeout(PATIENCE, input.write_all(bytes)).await;
        written.expect("the server reads").unwrap();
    }

    pub async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// Sends a request and returns its id.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = json!(format!("r{}", self.asked));
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request).await;
        id
    }

    /// The next message from the server.
    pub async fn read(&mut self) -> Value {
        match self.told.pop_front() {
            Some(message) => message,
            None => self.read_line().await.expect("the server is there"),
        }
    }

    async fn read_line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.output.read_line(&mut line)).await;
        let read = read.expect("the server says something").unwrap();
        (read > 0).then(|| checked(&line))
    }

    /// The response to `id`; what comes before it is kept.
    pub async fn response(&mut self, id: &Value) -> Value {
        if let Some(at) = self
            .told
            .iter()
            .position(|message| is_response(message, id))
        {
            return self.told.remove(at).unwrap();
        }
        loop {
            let message = self.read_line().await.expect("the server is there");
            if is_response(&message, id) {
                return message;
            }
            self.told.push_back(message);
        }
    }

    /// Sends a request and returns its response.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        self.response(&id).await
    }

    /// The result of a request that must succeed.
    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.ask(method, params).await;
        assert!(response.get("error").is_none(), "{method}: {response:#}");
        response["result"].take()
    }

    /// The code of a request that must fail.
    pub async fn code(&mut self, method: &str, params: Value) -> i64 {
        let response = self.ask(method, params).await;
        let code = response["error"]["code"].as_i64();
        code.unwrap_or_else(|| panic!("{method}: {response:#}"))
    }

    /// Everything up to the first notification or request `method`, and that.
    pub async fn until(&mut self, method: &str) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            messages.push(self.read().await);
            if messages.last().unwrap()["method"] == method {
                return messages;
            }
        }
    }

    /// Starts a thread and returns its id.
    pub async fn thread(&mut self) -> Value {
        let started = self.result("thread/start", json!({})).await;
        self.until("thread/updated").await;
        started["thread"]["id"].clone()
    }

    /// Starts a turn and reads until its thread is idle again.
    pub async fn turn(&mut self, thread: &Value, text: &str) -> Vec<Value> {
        let params = json!({ "threadId": thread, "input": text });
        self.result("turn/start", params).await;
        let mut messages = self.until("turn/completed").await;
        messages.push(self.read().await);
        messages
    }

    /// Ends the input, reads what is left, and waits for the server to end.
    pub async fn end(mut self) -> (Vec<Value>, ExitReason, Stand) {
        if let Some(mut input) = self.input.take() {
            input.shutdown().await.unwrap();
        }
        let mut messages = Vec::from(std::mem::take(&mut self.told));
        while let Some(message) = self.read_line().await {
            messages.push(message);
        }
        let ended = tokio::time::timeout(PATIENCE, self.serving).await;
        (messages, ended.unwrap().unwrap(), self.stand)
    }

    /// Stops reading and hears how the server ends.
    pub async fn abandon(self) -> (ExitReason, Stand) {
        let ended = tokio::time::timeout(PATIENCE, self.serving).await;
        (ended.unwrap().unwrap(), self.stand)
    }

    /// Goes away without a word.
    pub async fn vanish(self) -> (ExitReason, Stand) {
        drop((self.input, self.output));
        let ended = tokio::time::timeout(PATIENCE, self.serving).await;
        (ended.unwrap().unwrap(), self.stand)
    }
}

pub(super) fn is_response(message: &Value, id: &Value) -> bool {
    message.get("method").is_none() && message["id"] == *id
}

/// The methods of messages; a response is shown as `response`.
pub(super) fn methods(messages: &[Value]) -> Vec<&str> {
    messages
        .iter()
        .map(|message| message["method"].as_str().unwrap_or("response"))
        .collect()
}
