use serde_json::{Map, Value};

use crate::domain::Digest;

/// Digest of what is asked: the parameters without `idempotencyKey` and without those that are
/// null, which is the same as left out; members sorted at every depth, so that the same wish has
/// the same digest however it was written.
pub(super) fn digest(params: &Map<String, Value>) -> Digest {
    let mut text = String::new();
    let asked = params
        .iter()
        .filter(|(name, value)| *name != "idempotencyKey" && !value.is_null());
    write_members(asked, &mut text);
    Digest::of(text.as_bytes())
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => write_members(members.iter(), text),
        Value::Array(values) => {
            text.push('[');
            for value in values {
                write(value, text);
                text.push(',');
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn write_members<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>, text: &mut String) {
    let mut members: Vec<_> = members.collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    text.push('{');
    for (name, value) in members {
        text.push_str(&Value::from(name.as_str()).to_string());
        text.push(':');
        write(value, text);
        text.push(',');
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn order_and_key_do_not_count_and_everything_else_does() {
        let of = |value: Value| digest(value.as_object().unwrap());
        let asked = of(json!({"threadId": "t", "options": {"a": 1, "b": [1, 2]}}));
        for same in [
            json!({"options": {"b": [1, 2], "a": 1}, "threadId": "t"}),
            json!({"threadId": "t", "idempotencyKey": "k", "options": {"a": 1, "b": [1, 2]}}),
        ] {
            assert_eq!(of(same.clone()), asked, "{same}");
        }
        for other in [
            json!({"threadId": "t", "options": {"a": 1, "b": [2, 1]}}),
            json!({"threadId": "t", "options": {"a": "1", "b": [1, 2]}}),
            json!({"threadId": "t"}),
            json!({"threadId": "t\",\"x\":\"", "options": {"a": 1, "b": [1, 2]}}),
            json!({"threadId": "t", "options": {"a": 1, "b": [1, 2], "idempotencyKey": "k"}}),
        ] {
            assert_ne!(of(other.clone()), asked, "{other}");
        }
    }
}
