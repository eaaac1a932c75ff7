use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

/// An instant: whole milliseconds since 1970-01-01T00:00:00Z. Written as RFC 3339 in UTC with
/// milliseconds and `Z` on the wire, as an integer in the store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

/// The text was not an RFC 3339 time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a time is written like 2026-01-31T12:00:00.000Z, not {0:?}")]
pub struct TimeError(String);

impl Timestamp {
    /// The last instant RFC 3339 can write (the end of year 9999).
    const MAX: i64 = 253_402_300_799_999;

    /// The present instant of the system clock.
    #[must_use]
    pub fn now() -> Self {
        let since = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Self::from_millis(i64::try_from(since.as_millis()).unwrap_or(Self::MAX))
    }

    /// The instant `millis` milliseconds after the epoch, held within the years 1970 to 9999.
    #[must_use]
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(0, Self::MAX))
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// The instant `duration` later.
    #[must_use]
    pub fn plus(self, duration: std::time::Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(Self::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH);
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            at.year(),
            u8::from(at.month()),
            at.day(),
            at.hour(),
            at.minute(),
            at.second(),
            at.millisecond()
        )
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Timestamp {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let at = OffsetDateTime::parse(text, &Rfc3339)
            .map_err(|_| TimeError(text.chars().take(80).collect()))?
            .to_offset(UtcOffset::UTC);
        let millis = at.unix_timestamp_nanos() / 1_000_000;
        Ok(Self::from_millis(
            i64::try_from(millis).unwrap_or(Self::MAX),
        ))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_milliseconds_and_z_and_round_trips() {
        let at = Timestamp::from_millis(1_769_860_800_007);
        assert_eq!(at.to_string(), "2026-01-31T12:00:00.007Z");
        assert_eq!("2026-01-31T13:00:00.007+01:00".parse(), Ok(at));
        assert!("yesterday".parse::<Timestamp>().is_err());
        assert_eq!(
            Timestamp::from_millis(i64::MAX).to_string(),
            "9999-12-31T23:59:59.999Z"
        );
    }
}
