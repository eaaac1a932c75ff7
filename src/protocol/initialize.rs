use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::call::{invalid, object, typed};
use super::error::{ErrorCode, Refused};
use super::{LINE_LIMIT, VERSION};

/// What the contract may hold besides its core, in the order it is offered.
pub const FEATURES: [Feature; 3] = [
    Feature::ThreadTurnItem,
    Feature::StructuredApproval,
    Feature::BoundedTransport,
];

/// The most features a client may name, and the most characters of one.
const FEATURE_LIMITS: (usize, usize) = (64, 128);
/// The most characters of a client's name and of its version.
const CLIENT_LIMITS: (usize, usize) = (128, 64);

/// A part of the contract that both sides may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// Threads, turns and items, their methods and notifications.
    ThreadTurnItem,
    /// `approval/decide`.
    StructuredApproval,
    /// Limits that are stated and kept.
    BoundedTransport,
}

impl Feature {
    const fn name(self) -> &'static str {
        match self {
            Self::ThreadTurnItem => "thread_turn_item",
            Self::StructuredApproval => "structured_approval",
            Self::BoundedTransport => "bounded_transport",
        }
    }
}

/// What a client can, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Initialize {
    /// The highest version it speaks.
    pub protocol_version: u32,
    /// The lowest.
    pub minimum_protocol_version: u32,
    /// Who it is.
    pub client: Client,
    /// What it wants; everything there is when left out.
    pub features: Option<Vec<String>>,
}

/// A client's name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Of the program.
    pub name: String,
    /// Of the program.
    pub version: String,
}

impl Initialize {
    pub(super) fn of(params: Map<String, Value>) -> Result<Self, Refused> {
        object(&params, "client")?;
        let asked: Self = typed(params)?;
        if asked.minimum_protocol_version < 1 {
            return Err(invalid("minimumProtocolVersion", "is 1 or more"));
        }
        if asked.minimum_protocol_version > asked.protocol_version {
            let problem = "is not above protocolVersion";
            return Err(invalid("minimumProtocolVersion", problem));
        }
        let sized = |text: &str, most: usize| (1..=most).contains(&text.chars().count());
        let (name, version) = CLIENT_LIMITS;
        if !sized(&asked.client.name, name) {
            return Err(invalid("client.name", "has 1 to 128 characters"));
        }
        if !sized(&asked.client.version, version) {
            return Err(invalid("client.version", "has 1 to 64 characters"));
        }
        let (most, length) = FEATURE_LIMITS;
        let features = asked.features.as_deref().unwrap_or_default();
        if features.len() > most || !features.iter().all(|feature| sized(feature, length)) {
            return Err(invalid("features", "are at most 64 of 1 to 128 characters"));
        }
        let twice = |(at, feature)| features[..at].contains(feature);
        if features.iter().enumerate().any(twice) {
            return Err(invalid("features", "are each named once"));
        }
        Ok(asked)
    }

    /// What both sides can.
    ///
    /// # Errors
    /// Invalid params with both ranges when there is no version both speak.
    pub fn agree(&self) -> Result<Vec<Feature>, Refused> {
        let (minimum, maximum) = (self.minimum_protocol_version, self.protocol_version);
        if !(minimum..=maximum).contains(&VERSION) {
            let message = format!(
                "no common protocol version: the client speaks {minimum} to {maximum}, this server {VERSION}"
            );
            let range = |minimum, maximum| json!({ "minimum": minimum, "maximum": maximum });
            let data = json!({
                "client": range(minimum, maximum),
                "server": range(VERSION, VERSION),
            });
            return Err(Refused::new(ErrorCode::InvalidParams, message).with(data));
        }
        let wanted = |feature: &Feature| match &self.features {
            None => true,
            Some(names) => names.iter().any(|name| name == feature.name()),
        };
        Ok(FEATURES.into_iter().filter(wanted).collect())
    }
}

/// The result of `initialize`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Agreement {
    server: Named,
    protocol_version: u32,
    minimum_protocol_version: u32,
    features: Vec<Feature>,
    downgraded: bool,
    transports: [&'static str; 1],
    limits: Limits,
    schema: Schema,
}

#[derive(Debug, Clone, Serialize)]
struct Named {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct Schema {
    id: &'static str,
    version: u32,
}

/// The bounds a client may rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Bytes of a line the server reads.
    pub max_input_line_bytes: usize,
    /// Messages waiting to be written.
    pub max_output_messages: usize,
    /// Bytes waiting to be written.
    pub max_output_bytes: usize,
    /// Requests waiting to be worked on.
    pub max_queued_requests: usize,
    /// Their bytes.
    pub max_queued_request_bytes: usize,
    /// Requests worked on at once.
    pub max_concurrent_requests: usize,
    /// How long the server waits for an answer of the client, in ms.
    pub request_timeout_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_input_line_bytes: LINE_LIMIT,
            max_output_messages: 512,
            max_output_bytes: 8 << 20,
            max_queued_requests: 256,
            max_queued_request_bytes: 4 << 20,
            max_concurrent_requests: 8,
            request_timeout_ms: 120_000,
        }
    }
}

impl Agreement {
    /// What is agreed: `features` within `limits`, over `transport`.
    pub fn new(features: Vec<Feature>, limits: Limits, transport: &'static str) -> Self {
        Self {
            server: Named {
                name: env!("CARGO_PKG_NAME"),
                version: env!("CARGO_PKG_VERSION"),
            },
            protocol_version: VERSION,
            minimum_protocol_version: VERSION,
            downgraded: features.len() < FEATURES.len(),
            features,
            transports: [transport],
            limits,
            schema: Schema {
                id: "threadkeep.wire",
                version: VERSION,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(changes: &Value) -> Result<Initialize, Refused> {
        let mut params = json!({
            "protocolVersion": 1,
            "minimumProtocolVersion": 1,
            "client": { "name": "host", "version": "1.0" },
        });
        let members = params.as_object_mut().unwrap();
        members.extend(changes.as_object().unwrap().clone());
        Initialize::of(params.as_object().unwrap().clone())
    }

    #[test]
    fn features_are_those_both_have_in_the_order_of_the_server() {
        let all = FEATURES.to_vec();
        let table = [
            (json!({}), all.clone()),
            (
                json!({"features": ["bounded_transport", "structured_approval", "other", "thread_turn_item"]}),
                all,
            ),
            (
                json!({"features": ["typed_graph", "structured_approval"]}),
                vec![Feature::StructuredApproval],
            ),
            (json!({"features": []}), vec![]),
        ];
        for (changes, features) in table {
            let agreed = asked(&changes).unwrap().agree().unwrap();
            assert_eq!(agreed, features, "{changes}");
            let agreement = Agreement::new(agreed, Limits::default(), "stdio");
            assert_eq!(agreement.downgraded, features.len() < FEATURES.len());
        }
    }

    #[test]
    fn a_version_both_speak_is_needed() {
        assert!(
            asked(&json!({"protocolVersion": 9}))
                .unwrap()
                .agree()
                .is_ok()
        );
        let later = json!({"protocolVersion": 3, "minimumProtocolVersion": 2});
        let refused = asked(&later).unwrap().agree().unwrap_err();
        let expected = Refused::new(
            ErrorCode::InvalidParams,
            "no common protocol version: the client speaks 2 to 3, this server 1",
        );
        let ranges = json!({
            "client": { "minimum": 2, "maximum": 3 },
            "server": { "minimum": 1, "maximum": 1 },
        });
        assert_eq!(refused, expected.with(ranges));
    }

    #[test]
    fn parameters_outside_the_contract_are_refused() {
        for changes in [
            json!({"protocolVersion": 0, "minimumProtocolVersion": 0}),
            json!({"protocolVersion": 1, "minimumProtocolVersion": 2}),
            json!({"protocolVersion": "1"}),
            json!({"protocolVersion": 1.5}),
            json!({"client": {"name": "", "version": "1"}}),
            json!({"client": {"name": "x".repeat(129), "version": "1"}}),
            json!({"client": {"name": "x", "version": "1".repeat(65)}}),
            json!({"client": {"name": "x", "version": "1", "os": "linux"}}),
            json!({"features": ["a", "a"]}),
            json!({"features": [1]}),
            json!({"features": "a"}),
            json!({"capabilities": {}}),
        ] {
            let refused = asked(&changes).unwrap_err();
            assert_eq!(refused.code, ErrorCode::InvalidParams, "{changes}");
        }
    }
}
