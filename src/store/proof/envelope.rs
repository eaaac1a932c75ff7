//! The envelope of DSSE 1.0, <https://github.com/secure-systems-lab/dsse>.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::key::Key;

/// What is in an envelope: an in-toto statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

#[derive(Serialize)]
struct EnvelopeSignature {
    /// Name and id of the key. A hint: nobody signed it.
    keyid: String,
    sig: String,
}

/// The statement in an envelope with the signature of `key`, as JSON. A long statement is not held
/// more often than it must be.
///
/// # Errors
/// Never with text for members; what `serde_json` says otherwise.
pub fn envelope(statement: &[u8], key: &Key) -> serde_json::Result<String> {
    let encoded = pre_authentication(PAYLOAD_TYPE, statement);
    let signature = EnvelopeSignature {
        keyid: key.verifier().label(),
        sig: STANDARD.encode(key.sign(&encoded).to_bytes()),
    };
    drop(encoded);
    let signatures = serde_json::to_string(&[signature])?;
    // Neither the type nor base64 has anything that JSON escapes.
    let mut text = String::with_capacity(statement.len().div_ceil(3) * 4 + signatures.len() + 96);
    text += "{\"payloadType\":\"";
    text += PAYLOAD_TYPE;
    text += "\",\"payload\":\"";
    STANDARD.encode_string(statement, &mut text);
    text += "\",\"signatures\":";
    text += &signatures;
    text.push('}');
    Ok(text)
}

/// PAE: what is signed, in which the type cannot be taken for a part of the body. No checkpoint
/// reads like one, for the name of a log has no space.
fn pre_authentication(payload_type: &str, body: &[u8]) -> Vec<u8> {
    let (kind, length) = (payload_type.len(), body.len());
    let head = format!("DSSEv1 {kind} {payload_type} {length} ");
    [head.as_bytes(), body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_what_the_protocol_gives_as_its_example() {
        assert_eq!(
            pre_authentication("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }
}
