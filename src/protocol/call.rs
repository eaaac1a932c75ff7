mod effects;

use std::ops::RangeInclusive;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

pub(crate) use self::effects::{ACTOR_LIMIT, NOTE_LIMIT};
pub use self::effects::{ListEffects, ReconcileEffect};
use super::canonical;
use super::error::{ErrorCode, Refused};
use super::initialize::Initialize;
use super::message::Request;
use crate::domain::{Digest, EventSeq, IdempotencyKey, ThreadId, TurnId};

/// The most characters of a title.
const TITLE_LIMIT: usize = 512;
/// The most bytes of a thread's metadata as JSON text: it is part of every thread that is sent.
const METADATA_LIMIT: usize = 64 * 1024;
/// How many events are read when nothing is said, and how many at most.
const EVENTS: (u32, RangeInclusive<u32>) = (10_000, 1..=100_000);
/// How many threads are listed when nothing is said, and how many at most.
const THREADS: (u32, RangeInclusive<u32>) = (100, 1..=1_000);

/// A request whose parameters fit its method.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// `initialize`
    Initialize(Initialize),
    /// `thread/start`
    StartThread(StartThread),
    /// `thread/read`
    ReadThread(ReadThread),
    /// `thread/resume`
    ResumeThread(ReadThread),
    /// `thread/resume` with `continueTurn`
    ContinueTurn(ContinueTurn),
    /// `thread/fork`
    ForkThread(ForkThread),
    /// `thread/list`
    ListThreads(ListThreads),
    /// `thread/archive`
    ArchiveThread(ThreadId),
    /// `turn/start`
    StartTurn(StartTurn),
    /// `turn/interrupt`
    InterruptTurn(ThreadId, TurnId),
    /// `effect/list`
    ListEffects(ListEffects),
    /// `effect/reconcile`
    ReconcileEffect(ReconcileEffect),
    /// `evidence/get`
    GetEvidence(ThreadId, TurnId),
}

/// The wish that a request happens once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// Chosen by the client.
    pub key: IdempotencyKey,
    /// Digest of what is asked.
    pub digest: Digest,
}

/// A thread to begin.
#[derive(Debug, Clone, PartialEq)]
pub struct StartThread {
    /// Its name.
    pub thread: Option<ThreadId>,
    /// Its title.
    pub title: Option<String>,
    /// What the host keeps with it, `agentOptions` among it.
    pub metadata: Map<String, Value>,
    /// The wish that it happens once.
    pub once: Option<Once>,
}

/// Events to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadThread {
    /// Of this thread.
    pub thread: ThreadId,
    /// After this place.
    pub after: EventSeq,
    /// At most so many.
    pub limit: u32,
}

/// An interrupted turn to go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContinueTurn {
    /// Its thread, and what to read of it.
    pub read: ReadThread,
    /// Name of the turn that goes on.
    pub turn: Option<TurnId>,
    /// The wish that it happens once.
    pub once: Option<Once>,
}

/// A thread to fork.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkThread {
    /// The thread to fork.
    pub source: ThreadId,
    /// Name of the fork.
    pub thread: Option<ThreadId>,
    /// Its title.
    pub title: Option<String>,
    /// The wish that it happens once.
    pub once: Option<Once>,
}

/// Threads to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListThreads {
    /// Archived ones too.
    pub include_archived: bool,
    /// At most so many.
    pub limit: u32,
}

/// A turn to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartTurn {
    /// Its thread.
    pub thread: ThreadId,
    /// Its name.
    pub turn: Option<TurnId>,
    /// What the user says.
    pub text: String,
    /// How it is to run.
    pub options: Options,
    /// The wish that it happens once.
    pub once: Option<Once>,
}

/// How a turn is to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The model, `PROVIDER/NAME`.
    pub model: Option<String>,
    /// A permission mode at least as narrow as the server's.
    pub permission_mode: Option<String>,
}

impl Call {
    /// Reads the parameters of a request.
    ///
    /// # Errors
    /// Method not found, or invalid params naming the member that is wrong.
    pub fn of(request: Request) -> Result<Self, Refused> {
        let Request { method, params, .. } = request;
        match method.as_str() {
            "initialize" => Initialize::of(params).map(Self::Initialize),
            "thread/start" => start_thread(params).map(Self::StartThread),
            "thread/read" => read(params).map(Self::ReadThread),
            "thread/resume" => resume(params),
            "thread/fork" => fork(params).map(Self::ForkThread),
            "thread/list" => list(params).map(Self::ListThreads),
            "thread/archive" => {
                typed(params).map(|params: Archive| Self::ArchiveThread(params.thread_id))
            }
            "turn/start" => start_turn(params).map(Self::StartTurn),
            "turn/interrupt" => typed(params)
                .map(|params: OfTurn| Self::InterruptTurn(params.thread_id, params.turn_id)),
            "effect/list" => ListEffects::of(params).map(Self::ListEffects),
            "effect/reconcile" => ReconcileEffect::of(params).map(Self::ReconcileEffect),
            "evidence/get" => typed(params)
                .map(|params: OfTurn| Self::GetEvidence(params.thread_id, params.turn_id)),
            _ => {
                let method: String = method.chars().take(80).collect();
                let message = format!("there is no method {method:?} in version 1");
                Err(Refused::new(ErrorCode::MethodNotFound, message))
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Start {
    thread_id: Option<ThreadId>,
    #[serde(default, deserialize_with = "title")]
    title: Option<String>,
    metadata: Option<Map<String, Value>>,
    agent_options: Option<Map<String, Value>>,
    idempotency_key: Option<IdempotencyKey>,
}

fn start_thread(params: Map<String, Value>) -> Result<StartThread, Refused> {
    let digest = canonical::digest(&params);
    let start: Start = typed(params)?;
    let mut metadata = start.metadata.unwrap_or_default();
    if let Some(options) = start.agent_options {
        metadata.insert("agentOptions".to_owned(), options.into());
    }
    let bytes = Value::Object(metadata.clone()).to_string().len();
    if bytes > METADATA_LIMIT {
        let problem = format!("has {bytes} bytes with agentOptions, {METADATA_LIMIT} is the most");
        return Err(invalid("metadata", &problem));
    }
    Ok(StartThread {
        thread: start.thread_id,
        title: start.title,
        metadata,
        once: once(start.idempotency_key, digest),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Read {
    thread_id: ThreadId,
    after_event_seq: Option<EventSeq>,
    limit: Option<u32>,
}

impl Read {
    fn checked(self) -> Result<ReadThread, Refused> {
        let after = self.after_event_seq.unwrap_or(0);
        if after < 0 {
            return Err(invalid("afterEventSeq", "is 0 or more"));
        }
        Ok(ReadThread {
            thread: self.thread_id,
            after,
            limit: within(self.limit, &EVENTS)?,
        })
    }
}

fn read(params: Map<String, Value>) -> Result<ReadThread, Refused> {
    typed::<Read>(params)?.checked()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Resume {
    thread_id: ThreadId,
    after_event_seq: Option<EventSeq>,
    limit: Option<u32>,
    continue_turn: Option<bool>,
    turn_id: Option<TurnId>,
    idempotency_key: Option<IdempotencyKey>,
}

fn resume(params: Map<String, Value>) -> Result<Call, Refused> {
    let digest = canonical::digest(&params);
    let resume: Resume = typed(params)?;
    let read = Read {
        thread_id: resume.thread_id,
        after_event_seq: resume.after_event_seq,
        limit: resume.limit,
    };
    let read = read.checked()?;
    if resume.continue_turn == Some(true) {
        return Ok(Call::ContinueTurn(ContinueTurn {
            read,
            turn: resume.turn_id,
            once: once(resume.idempotency_key, digest),
        }));
    }
    let only_then = "belongs to continueTurn: true";
    if resume.turn_id.is_some() {
        return Err(invalid("turnId", only_then));
    }
    if resume.idempotency_key.is_some() {
        return Err(invalid("idempotencyKey", only_then));
    }
    Ok(Call::ResumeThread(read))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fork {
    thread_id: ThreadId,
    new_thread_id: Option<ThreadId>,
    #[serde(default, deserialize_with = "title")]
    title: Option<String>,
    idempotency_key: Option<IdempotencyKey>,
}

fn fork(params: Map<String, Value>) -> Result<ForkThread, Refused> {
    let digest = canonical::digest(&params);
    let fork: Fork = typed(params)?;
    Ok(ForkThread {
        source: fork.thread_id,
        thread: fork.new_thread_id,
        title: fork.title,
        once: once(fork.idempotency_key, digest),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    include_archived: Option<bool>,
    limit: Option<u32>,
}

fn list(params: Map<String, Value>) -> Result<ListThreads, Refused> {
    let list: List = typed(params)?;
    Ok(ListThreads {
        include_archived: list.include_archived.unwrap_or(false),
        limit: within(list.limit, &THREADS)?,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Archive {
    thread_id: ThreadId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OfTurn {
    thread_id: ThreadId,
    turn_id: TurnId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TurnParams {
    thread_id: ThreadId,
    turn_id: Option<TurnId>,
    input: Value,
    options: Option<Options>,
    idempotency_key: Option<IdempotencyKey>,
}

fn start_turn(params: Map<String, Value>) -> Result<StartTurn, Refused> {
    let digest = canonical::digest(&params);
    object(&params, "options")?;
    let turn: TurnParams = typed(params)?;
    let text = input(turn.input)?;
    if text.trim().is_empty() {
        return Err(invalid("input", "is empty; say what the turn is to do"));
    }
    Ok(StartTurn {
        thread: turn.thread_id,
        turn: turn.turn_id,
        text,
        options: turn.options.unwrap_or_default(),
        once: once(turn.idempotency_key, digest),
    })
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Part {
    Text { text: String },
}

/// A text, or parts that become lines of one text.
fn input(value: Value) -> Result<String, Refused> {
    match value {
        Value::String(text) => Ok(text),
        Value::Array(parts) => {
            let part = |(at, value): (usize, Value)| {
                if !value.is_object() {
                    return Err(invalid(&format!("input[{at}]"), "is an object"));
                }
                serde_json::from_value(value)
                    .map(|Part::Text { text }| text)
                    .map_err(|error| invalid(&format!("input[{at}]"), &error.to_string()))
            };
            let texts: Result<Vec<_>, _> = parts.into_iter().enumerate().map(part).collect();
            Ok(texts?.join("\n"))
        }
        _ => Err(invalid("input", "is a string or an array of text parts")),
    }
}

fn title<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let title = Option::<String>::deserialize(deserializer)?;
    let length = title.as_ref().map_or(0, |title| title.chars().count());
    if length > TITLE_LIMIT {
        let message = format!("has {length} characters, {TITLE_LIMIT} is the most");
        return Err(D::Error::custom(message));
    }
    Ok(title)
}

fn once(key: Option<IdempotencyKey>, digest: Digest) -> Option<Once> {
    key.map(|key| Once { key, digest })
}

fn within(limit: Option<u32>, range: &(u32, RangeInclusive<u32>)) -> Result<u32, Refused> {
    let (default, allowed) = range;
    let limit = limit.unwrap_or(*default);
    if allowed.contains(&limit) {
        Ok(limit)
    } else {
        let problem = format!("is {} to {}", allowed.start(), allowed.end());
        Err(invalid("limit", &problem))
    }
}

/// Invalid params: `member` and what it should be.
pub(super) fn invalid(member: &str, problem: &str) -> Refused {
    Refused::new(
        ErrorCode::InvalidParams,
        format!("params.{member}: {problem}"),
    )
}

/// That a member is an object where it is there. A derived type would take an array of its members
/// for one.
pub(super) fn object(params: &Map<String, Value>, member: &str) -> Result<(), Refused> {
    match params.get(member) {
        None | Some(Value::Null | Value::Object(_)) => Ok(()),
        Some(_) => Err(invalid(member, "is an object")),
    }
}

/// Parameters as a closed type; the error names the member that does not fit.
pub(super) fn typed<T: DeserializeOwned>(params: Map<String, Value>) -> Result<T, Refused> {
    serde_path_to_error::deserialize(Value::Object(params)).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner().to_string();
        if path == "." {
            Refused::new(ErrorCode::InvalidParams, format!("params: {problem}"))
        } else {
            invalid(&path, &problem)
        }
    })
}

#[cfg(test)]
mod tests;
