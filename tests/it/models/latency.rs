//! Nothing is held back.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use futures_util::StreamExt;

use super::stub::{Reply, Say, StubProvider};
use super::*;

#[tokio::test]
async fn every_piece_is_passed_on_before_the_next_one_is_sent() {
    for kind in KINDS {
        let (go_on, demand) = mpsc::channel();
        let pieces = dialect::render(kind, &[Say::text("one two three four")]);
        let frames = pieces.len();
        let demand = Arc::new(Mutex::new(demand));
        let provider = StubProvider::start(kind, vec![Reply::OnDemand(pieces, demand)]);
        let mut stream = model(&provider).stream(request(vec![user("go")]));
        let before = dialect::pieces_before_text(kind);
        for _ in 0..before {
            go_on.send(()).unwrap();
        }
        for word in ["one ", "two ", "three ", "four"] {
            go_on.send(()).unwrap();
            let next = tokio::time::timeout(Duration::from_secs(10), stream.next()).await;
            let next = next.unwrap_or_else(|_| panic!("{kind:?} holds {word:?} back"));
            assert_eq!(next, Some(Ok(ModelEvent::Text(word.into()))), "{kind:?}");
        }
        for _ in before + 4..frames {
            go_on.send(()).unwrap();
        }
        let rest = all(stream).await;
        finish(&rest);
    }
}
