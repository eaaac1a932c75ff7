//! Providers that refuse, fail or vanish.

use std::time::{Duration, SystemTime};

use threadkeep::kernel::model::{ModelErrorKind, Retry};

use super::stub::{Ending, KEY, Kind, Reply, Say, StubProvider};
use super::*;

/// The retries told before the rest.
fn retries(events: &Events) -> (Vec<Retry>, Events) {
    let is_retry =
        |event: &&Result<ModelEvent, ModelError>| matches!(event, Ok(ModelEvent::Retrying(_)));
    let told = events
        .iter()
        .take_while(is_retry)
        .filter_map(|event| match event {
            Ok(ModelEvent::Retrying(retry)) => Some(retry.clone()),
            _ => None,
        });
    (
        told.collect(),
        events.iter().skip_while(is_retry).cloned().collect(),
    )
}

fn fine() -> Reply {
    Reply::says(&[Say::text("here I am")])
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_told_at_every_provider() {
    for kind in KINDS {
        for (reply, expected) in [
            (Reply::retry_after(429, "0"), ModelErrorKind::RateLimited),
            (Reply::status(500, "{}"), ModelErrorKind::Unavailable),
            (Reply::status(502, "<html>"), ModelErrorKind::Unavailable),
            (Reply::status(503, "{}"), ModelErrorKind::Unavailable),
            (Reply::status(504, ""), ModelErrorKind::Unavailable),
            (Reply::status(529, "{}"), ModelErrorKind::Unavailable),
            (Reply::Nothing, ModelErrorKind::Unavailable),
            (
                Reply::ending(&[], Ending::Whole),
                ModelErrorKind::Unavailable,
            ),
            (
                Reply::ending(&["data: {\"ty"], Ending::Cut),
                ModelErrorKind::Unavailable,
            ),
        ] {
            let what = format!("{kind:?} {reply:?}");
            let provider = StubProvider::start(kind, vec![reply, fine()]);
            let (retries, rest) = retries(&ask(&provider).await);
            assert_eq!(retries.len(), 1, "{what}");
            assert_eq!(
                (retries[0].attempt, retries[0].error.kind),
                (1, expected),
                "{what}"
            );
            assert_eq!(text(&rest), "here I am", "{what}");
            finish(&rest);
            assert_eq!(provider.seen().len(), 2, "{what}");
        }
    }
}

#[tokio::test]
async fn the_wait_a_provider_asks_for_is_the_wait_that_is_announced() {
    let in_ten_seconds = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(10));
    let provider = StubProvider::start(
        Kind::Chat,
        vec![
            Reply::retry_after(429, "7"),
            Reply::retry_after(503, &in_ten_seconds),
            fine(),
        ],
    );
    let (retries, rest) = retries(&ask(&provider).await);
    assert_eq!(retries[0].after, Duration::from_secs(7));
    let second = retries[1].after.as_secs_f64();
    assert!(second > 5.0 && second <= 10.0, "{second}");
    assert_eq!(text(&rest), "here I am");
}

#[tokio::test]
async fn attempts_end_after_five_with_the_last_error() {
    for kind in KINDS {
        let provider = StubProvider::start(kind, vec![Reply::status(503, "{}"); 6]);
        let (retries, rest) = retries(&ask(&provider).await);
        let attempts: Vec<u32> = retries.iter().map(|retry| retry.attempt).collect();
        assert_eq!(attempts, [1, 2, 3, 4], "{kind:?}");
        let [Err(error)] = rest.as_slice() else {
            panic!("{rest:?}");
        };
        assert_eq!(error.kind, ModelErrorKind::Unavailable);
        assert_eq!(provider.seen().len(), 5, "{kind:?}");
    }
}

#[tokio::test]
async fn a_provider_that_asks_for_too_long_a_wait_is_given_up_at_once() {
    let provider = StubProvider::start(Kind::Anthropic, vec![Reply::retry_after(429, "3600")]);
    let events = ask(&provider).await;
    let [Err(error)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(error.kind, ModelErrorKind::RateLimited);
}

#[tokio::test]
async fn what_will_not_pass_is_asked_once() {
    for kind in KINDS {
        for (status, body, expected) in [
            (
                400,
                r#"{"error":{"message":"no"}}"#,
                ModelErrorKind::Rejected,
            ),
            (
                401,
                r#"{"error":{"message":"no"}}"#,
                ModelErrorKind::Unauthorized,
            ),
            (
                403,
                r#"{"error":{"message":"no"}}"#,
                ModelErrorKind::Unauthorized,
            ),
            (413, "{}", ModelErrorKind::ContextTooLong),
            (
                400,
                r#"{"error":{"message":"prompt is too long: 9 tokens"}}"#,
                ModelErrorKind::ContextTooLong,
            ),
        ] {
            let provider = StubProvider::start(kind, vec![Reply::status(status, body)]);
            let events = ask(&provider).await;
            let [Err(error)] = events.as_slice() else {
                panic!("{kind:?} {status}: {events:?}");
            };
            assert_eq!(error.kind, expected, "{kind:?} {status}");
            assert!(error.message.starts_with(&provider.model()), "{error}");
            assert_eq!(provider.seen().len(), 1, "{kind:?} {status}");
        }
    }
}

#[tokio::test]
async fn a_cut_after_text_was_shown_is_told_and_nothing_is_said_twice() {
    for kind in KINDS {
        let mut pieces = dialect::render(kind, &[Say::text("one two three")]);
        let end = if kind == Kind::Chat { 3 } else { 2 };
        pieces.truncate(pieces.len() - end);
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        for ending in [Ending::Cut, Ending::Whole] {
            let replies = vec![Reply::ending(&pieces, ending), fine()];
            let provider = StubProvider::start(kind, replies);
            let events = ask(&provider).await;
            let Some((Err(error), said)) = events.split_last() else {
                panic!("{kind:?}: {events:?}");
            };
            assert_eq!(error.kind, ModelErrorKind::Cut, "{kind:?} {ending:?}");
            assert!(
                "one two three".starts_with(&text(&said.to_vec())),
                "{kind:?}"
            );
            assert!(!said.is_empty(), "{kind:?}");
            assert_eq!(provider.seen().len(), 1, "{kind:?}: it was asked again");
        }
    }
}

#[tokio::test]
async fn no_tool_call_of_an_answer_that_is_cut_is_passed_on() {
    let said = [Say::call(
        "c1",
        "list_dir",
        serde_json::json!({ "path": "." }),
    )];
    for kind in KINDS {
        let mut pieces = dialect::render(kind, &said);
        let end = if kind == Kind::Chat { 3 } else { 1 };
        pieces.truncate(pieces.len() - end - usize::from(kind == Kind::Anthropic));
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let replies = vec![Reply::ending(&pieces, Ending::Cut), fine()];
        let provider = StubProvider::start(kind, replies);
        let (retries, rest) = retries(&ask(&provider).await);
        assert_eq!(retries.len(), 1, "{kind:?}: {rest:?}");
        assert!(calls(&rest).is_empty(), "{kind:?}");
        assert_eq!(text(&rest), "here I am", "{kind:?}");
    }
}

#[tokio::test]
async fn an_error_told_in_the_stream_is_tried_again_only_before_something_was_shown() {
    let told = [
        (
            Kind::Responses,
            r#"{"type":"response.failed","response":{"id":"r","status":"failed","model":"m","output":[],"error":{"code":"server_error","message":"oops"}}}"#,
        ),
        (
            Kind::Responses,
            r#"{"type":"error","code":"server_error","message":"oops"}"#,
        ),
        (
            Kind::Chat,
            r#"{"error":{"message":"oops","type":"server_error"}}"#,
        ),
        (
            Kind::Chat,
            r#"{"choices":[{"delta":{},"finish_reason":"error","error":{"code":502,"message":"oops"}}]}"#,
        ),
        (
            Kind::Anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"oops"}}"#,
        ),
        (Kind::Ollama, r#"{"error":"oops"}"#),
        (
            Kind::Gemini,
            r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"oops"}}"#,
        ),
    ];
    for (kind, error) in told {
        let error = match kind {
            Kind::Ollama => format!("{error}\n"),
            _ => format!("data: {error}\n\n"),
        };
        let provider = StubProvider::start(kind, vec![Reply::pieces(&[&error]), fine()]);
        let (retries, rest) = retries(&ask(&provider).await);
        assert_eq!(retries.len(), 1, "{kind:?}");
        assert!(
            retries[0].error.message.contains("oops"),
            "{:?}",
            retries[0]
        );
        assert_eq!(text(&rest), "here I am", "{kind:?}");

        let mut pieces = dialect::render(kind, &[Say::text("one")]);
        pieces.truncate(pieces.len() - if kind == Kind::Chat { 3 } else { 1 });
        if kind == Kind::Anthropic {
            pieces.truncate(pieces.len() - 1);
        }
        pieces.push(error);
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let provider = StubProvider::start(kind, vec![Reply::pieces(&pieces), fine()]);
        let events = ask(&provider).await;
        let Some(Err(error)) = events.last() else {
            panic!("{kind:?}: {events:?}");
        };
        assert_eq!(error.kind, ModelErrorKind::Cut, "{kind:?}");
        assert!(error.message.contains("oops"), "{error}");
    }
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_named_without_its_password() {
    let gone = StubProvider::start(Kind::Chat, Vec::new());
    let mut environment = gone.environment();
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    // With TLS it counts as another machine: nobody there may pass, nobody here will not.
    for (scheme, attempts) in [("http", 1), ("https", 5)] {
        environment.openai.base_url = Some(format!("{scheme}://me:pass-word@{closed}/v1"));
        let model = open(&gone.model().parse().unwrap(), &environment).unwrap();
        let events = all(model.stream(request(vec![user("go")]))).await;
        let (retries, rest) = retries(&events);
        assert_eq!(retries.len(), attempts - 1, "{scheme}");
        let [Err(error)] = rest.as_slice() else {
            panic!("{rest:?}");
        };
        assert_eq!(error.kind, ModelErrorKind::Unavailable);
        assert!(error.message.contains(&closed.to_string()), "{error}");
        assert!(error.message.contains("cannot be reached"), "{error}");
        assert!(!error.message.contains("pass-word"), "{error}");
    }
}

#[tokio::test]
async fn keys_never_show_up_in_an_error_and_never_follow_a_redirect() {
    let elsewhere = StubProvider::start(Kind::Anthropic, vec![fine()]);
    let target = elsewhere.variables()[0].1.clone();
    let bodies = [
        Reply::status(
            403,
            &format!(r#"{{"error":{{"message":"bad key {KEY} given"}}}}"#),
        ),
        Reply::status(400, &format!("{KEY} {}", &KEY[..14])),
        Reply::Status(
            307,
            vec![("location", format!("{target}/v1/messages"))],
            String::new(),
        ),
    ];
    for reply in bodies {
        let events = hear(Kind::Anthropic, reply).await;
        let [Err(error)] = events.as_slice() else {
            panic!("{events:?}");
        };
        assert!(!error.message.contains(&KEY[..12]), "{error}");
    }
    assert!(elsewhere.seen().is_empty());
}

#[tokio::test]
async fn a_silent_provider_is_given_up_and_not_waited_for_again() {
    for kind in KINDS {
        let said = dialect::render(kind, &[Say::text("one")]);
        let shown = said.iter().map(String::as_str);
        let shown: Vec<&str> = shown.take(dialect::pieces_before_text(kind) + 1).collect();
        for (pieces, expected) in [
            (&[][..], ModelErrorKind::Unavailable),
            (&shown, ModelErrorKind::Cut),
        ] {
            let replies = vec![Reply::ending(pieces, Ending::Open), fine()];
            let provider = StubProvider::start(kind, replies);
            let mut environment = provider.environment();
            environment.retry.patience = Duration::from_millis(100);
            let model = open(&provider.model().parse().unwrap(), &environment).unwrap();
            let events = all(model.stream(request(vec![user("go")]))).await;
            let Some(Err(error)) = events.last() else {
                panic!("{kind:?}: {events:?}");
            };
            assert_eq!(error.kind, expected, "{kind:?}");
            assert!(error.message.contains("in time"), "{error}");
            assert_eq!(provider.seen().len(), 1, "{kind:?}");
        }
    }
}
