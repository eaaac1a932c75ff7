mod signed;

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use serde_json::json;

use self::signed::Signed;
use super::failure::{Exit, Failure};
use super::output::{plain, say};
use super::place::{self, Place};
use crate::domain::Digest;
use crate::store::verify::{Head, Report, VerifyOptions};

/// Findings told to a person; the rest is counted.
const TOLD: usize = 20;

/// Prove that the ledger is the one that was written, or name what is not
#[derive(Args)]
#[command(
    after_help = "Example:\n  threadkeep verify --expect-head 42:9f86d081884c7d65…\n  \
    threadkeep verify --checkpoint today.note --verifier-key example.com/ledger+c74f20a3+ARpc2Q…\n\n\
    Exit codes: 0 intact, 1 broken, 2 cannot be read. Note the head it prints somewhere else, or keep\n\
    a checkpoint there: with it a later run finds what was cut off or rolled back. The key beside the\n\
    ledger proves nothing against whoever can write there: give the one you kept."
)]
pub(super) struct Verify {
    /// Only this thread: payloads and chain
    #[arg(long, value_name = "ID", conflicts_with = "expect_head")]
    thread: Option<String>,
    /// A head noted earlier, which must be in the ledger
    #[arg(long, value_name = "COMMIT:HEX")]
    expect_head: Option<Noted>,
    /// A checkpoint made earlier, whose state must be one of the ledger
    #[arg(long, value_name = "FILE", conflicts_with = "thread")]
    checkpoint: Option<PathBuf>,
    /// Its key, or a file with it [default: that beside the ledger]
    #[arg(long, value_name = "KEY", requires = "checkpoint")]
    verifier_key: Option<String>,
    /// The report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

/// A head as it is printed and noted.
#[derive(Debug, Clone, Copy)]
struct Noted(Head);

impl FromStr for Noted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once(':').and_then(|(commit, hex)| {
            let hash: Digest = format!("sha256:{hex}").parse().ok()?;
            let commit_id = commit.parse().ok()?;
            Some(Self(Head { commit_id, hash }))
        });
        parsed.ok_or_else(|| {
            "a head is the number of a commit, a colon and 64 hexadecimal digits".to_owned()
        })
    }
}

impl Verify {
    pub async fn run(self) -> Result<Exit, Failure> {
        // Whatever keeps the ledger from being read is 2: it is neither intact nor broken.
        let (report, signed) = self
            .report()
            .await
            .map_err(|failure| Failure::usage(failure.to_string()))?;
        if self.json {
            let mut object = json!(report);
            object["intact"] = report.is_intact().into();
            if let Some(signed) = &signed {
                object["checkpoint"] = signed.json(&report);
            }
            say(&object.to_string());
        } else {
            let signed = signed.map(|signed| signed.told(&report));
            let lines = std::iter::once(told(&report)).chain(signed);
            say(&lines.collect::<Vec<_>>().join("\n"));
        }
        Ok(if report.is_intact() {
            Exit::Done
        } else {
            Exit::Failed
        })
    }

    async fn report(&self) -> Result<(Report, Option<Signed>), Failure> {
        let store = self.place.read().await?;
        if let Some(name) = &self.thread {
            let thread = place::thread(&store, name).await?;
            return Ok((store.verify_thread(&thread).await?, None));
        }
        let signed = match &self.checkpoint {
            Some(path) => Some(Signed::read(path, self.verifier_key.as_deref(), &store)?),
            None => None,
        };
        let options = VerifyOptions {
            expect_head: self.expect_head.map(|noted| noted.0),
            expect_tree: signed.as_ref().map(Signed::head),
        };
        Ok((store.verify(options).await?, signed))
    }
}

fn told(report: &Report) -> String {
    let looked = format!(
        "{} events, {} commits, {} threads, {} contents",
        report.events, report.commits, report.threads, report.contents
    );
    let mut lines = Vec::new();
    match report.findings.split_first() {
        None => lines.push(format!("intact: {looked}")),
        Some((first, rest)) => {
            lines.push(format!("broken: {}", plain(&first.message)));
            lines.extend(
                rest.iter()
                    .take(TOLD)
                    .map(|finding| format!("  also: {}", plain(&finding.message))),
            );
            let untold = rest.len().saturating_sub(TOLD) as u64 + report.unlisted;
            if untold > 0 {
                lines.push(format!("  and {untold} more"));
            }
            lines.push(format!("looked at {looked}"));
        }
    }
    if report.erased > 0 {
        lines.push(format!(
            "{} events are erased; their hashes hold",
            report.erased
        ));
    }
    if let Some(head) = report.head {
        lines.push(format!("head {}:{}", head.commit_id, head.hash.hex()));
    }
    lines.join("\n")
}
