//! When an attempt is made again, and after how long.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// How often and how patiently a failed attempt is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most attempts, the first one counted.
    pub attempts: u32,
    /// The wait after the first failure; each later wait is twice as long.
    pub first_wait: Duration,
    /// The longest wait of its own choice.
    pub longest_wait: Duration,
    /// The longest wait a provider may ask for; for more the model gives up at once.
    pub longest_asked: Duration,
    /// The longest silence of a provider, before its answer and within it: some load the model
    /// first, and some think for minutes.
    pub patience: Duration,
    /// Whether waits take time.
    pub waits: Waits,
}

/// Whether waits take time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    /// They do.
    Real,
    /// They are announced and skipped, for tests.
    Skipped,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(8),
            longest_asked: Duration::from_mins(1),
            patience: Duration::from_mins(5),
            waits: Waits::Real,
        }
    }
}

impl RetryPolicy {
    /// How long to wait after attempt number `attempt` failed; `None` when there is no other.
    pub(super) fn wait(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        match asked {
            Some(asked) if asked > self.longest_asked => None,
            Some(asked) => Some(asked),
            None => Some(self.own_wait(attempt)),
        }
    }

    /// Doubling, and up to half of it taken off by chance, so that many who failed together do
    /// not come back together.
    fn own_wait(&self, attempt: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let wait = self
            .first_wait
            .saturating_mul(doubled)
            .min(self.longest_wait);
        let chance = getrandom::u32().unwrap_or(0);
        wait.saturating_sub((wait / 2).mul_f64(f64::from(chance) / f64::from(u32::MAX)))
    }

    /// Waits.
    pub(super) async fn pass(&self, wait: Duration) {
        match self.waits {
            Waits::Real => tokio::time::sleep(wait).await,
            Waits::Skipped => tokio::task::yield_now().await,
        }
    }
}

/// What a provider's headers ask for: `Retry-After` in seconds or as a date (RFC 9110 §10.2.3),
/// or `Retry-After-Ms`.
pub(super) fn asked_wait(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = header("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let after = header("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(after).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        // 1994-11-06 08:49:37 UTC
        asked_wait(
            &headers,
            SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777),
        )
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_date() {
        let cases = [
            ("retry-after", "7", Some(7_000)),
            ("retry-after", "1.5", Some(1_500)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT", Some(10_000)),
            ("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("retry-after", "-3", None),
            ("retry-after", "soon", None),
            ("retry-after-ms", "250", Some(250)),
        ];
        for (name, value, millis) in cases {
            assert_eq!(
                asked(name, value),
                millis.map(Duration::from_millis),
                "{value}"
            );
        }
    }

    #[test]
    fn waits_double_within_bounds_and_end() {
        let policy = RetryPolicy {
            attempts: 8,
            ..RetryPolicy::default()
        };
        let longest = [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000];
        for (attempt, longest) in (1..).zip(longest) {
            let wait = policy.wait(attempt, None).unwrap().as_millis();
            assert!((longest / 2..=longest).contains(&wait), "{attempt}: {wait}");
        }
        assert_eq!(policy.wait(8, None), None);
    }

    #[test]
    fn what_a_provider_asks_for_is_kept_to_up_to_a_limit() {
        let policy = RetryPolicy::default();
        let minute = Duration::from_mins(1);
        assert_eq!(policy.wait(1, Some(minute)), Some(minute));
        assert_eq!(policy.wait(1, Some(minute * 2)), None);
        assert_eq!(policy.wait(5, Some(Duration::ZERO)), None);
    }
}
