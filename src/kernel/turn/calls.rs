use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::asking::{Asking, Subject, Verdict};
use super::ending::Ending;
use super::journal::Journal;
use super::record::{Call, Intended, Told};
use crate::kernel::model::ToolResult;
use crate::kernel::permission::{Permissions, Permitted};
use crate::kernel::tool::{Access, Outcome, Plan, Refusal, Session, Tool, Toolbox};
use crate::store::{Durability, StoreError};

/// Reads that run at once.
const READS: usize = 8;

/// What a call that never began says.
const INTERRUPTED: &str = "not run: the turn was interrupted";
const TURN_ENDED: &str = "not run: the turn ended before it";

/// Carries out the tool calls of one turn: permission, approval, effects, result.
pub(in crate::kernel) struct Calls {
    pub toolbox: Arc<Toolbox>,
    pub session: Session,
    pub permissions: Permissions,
    pub asking: Asking,
    pub cancel: CancellationToken,
    /// Effects so far whose outcome nobody knows.
    pub unknown_effects: usize,
}

/// A call that was planned.
struct Ready<'c> {
    call: &'c Call,
    tool: Arc<dyn Tool>,
    plan: Plan,
}

/// What came of the calls of one answer.
#[derive(Default)]
pub(super) struct Answered {
    told: Vec<(usize, ToolResult)>,
    /// Why the turn ends with them, if it does.
    pub ending: Option<Ending>,
}

impl Answered {
    /// The results in the order of the calls, with those of `others`.
    pub fn results(mut self, others: Vec<(usize, ToolResult)>) -> Vec<ToolResult> {
        self.told.extend(others);
        self.told.sort_by_key(|(at, _)| *at);
        self.told.into_iter().map(|(_, result)| result).collect()
    }
}

impl Calls {
    /// Carries the calls out. Reads that follow each other run together; whatever can change
    /// something runs alone and in order, and is planned after all before it has run.
    pub(super) async fn carry_out(
        &mut self,
        calls: &[Call],
        journal: &mut Journal,
    ) -> Result<Answered, StoreError> {
        let mut answered = Answered::default();
        let mut looks: Vec<Ready<'_>> = Vec::new();
        for call in calls {
            match self.plan(call, &answered).await {
                Planned::Ready(ready) if ready.plan.access == Access::Read => looks.push(ready),
                Planned::Ready(ready) => {
                    self.read(std::mem::take(&mut looks), journal, &mut answered)
                        .await?;
                    self.change(ready, journal, &mut answered).await?;
                }
                Planned::Not(told) => tell(call, told, journal, &mut answered).await?,
            }
        }
        self.read(looks, journal, &mut answered).await?;
        if self.cancel.is_cancelled() {
            answered.ending = Some(Ending::Interrupted);
        }
        Ok(answered)
    }

    async fn plan<'c>(&self, call: &'c Call, answered: &Answered) -> Planned<'c> {
        if answered.ending.is_some() {
            return Planned::Not(Told::not_run(TURN_ENDED));
        }
        let planned = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Planned::Not(Told::not_run(INTERRUPTED)),
            planned = self.planned(call) => planned,
        };
        match planned {
            Ok((tool, plan)) => Planned::Ready(Ready { call, tool, plan }),
            Err(refusal) => Planned::Not(Told::refused(refusal.message, None)),
        }
    }

    async fn planned(&self, call: &Call) -> Result<(Arc<dyn Tool>, Plan), Refusal> {
        let (tool, args) = self
            .toolbox
            .admit(&call.asked.name, &call.asked.arguments)?;
        let plan = tool.plan(&args, &self.session).await?;
        Ok((tool, plan))
    }

    async fn read(
        &self,
        reads: Vec<Ready<'_>>,
        journal: &mut Journal,
        answered: &mut Answered,
    ) -> Result<(), StoreError> {
        let outcomes: Vec<_> = reads.into_iter().map(|ready| self.outcome(ready)).collect();
        let mut outcomes = stream::iter(outcomes).buffer_unordered(READS);
        while let Some((call, outcome)) = outcomes.next().await {
            let told = Told::outcome(outcome, Some("allowed"), Vec::new());
            tell(call, told, journal, answered).await?;
        }
        Ok(())
    }

    async fn change(
        &mut self,
        ready: Ready<'_>,
        journal: &mut Journal,
        answered: &mut Answered,
    ) -> Result<(), StoreError> {
        let Ready { call, tool, plan } = ready;
        let decision = match self.permit(&plan, call, journal, answered).await? {
            Ok(decision) => decision,
            Err(told) => return tell(call, told, journal, answered).await,
        };
        let intended = Intended::of(call, &plan.effects, decision);
        if !intended.is_empty() {
            journal
                .commit(intended.events(call), Durability::Power)
                .await?;
        }
        let outcome = self.run(&*tool, plan).await;
        let settled = intended.settled(call, &outcome.receipts);
        self.unknown_effects += settled.unknown;
        let told = Told::outcome(outcome, Some(decision), settled.events);
        tell(call, told, journal, answered).await
    }

    /// Whether `plan` may run, and on what ground.
    async fn permit(
        &self,
        plan: &Plan,
        call: &Call,
        journal: &mut Journal,
        answered: &mut Answered,
    ) -> Result<Result<&'static str, Told>, StoreError> {
        let now = self.asking.clock.now();
        match self.permissions.permit(&plan.grant) {
            Permitted::Allowed => return Ok(Ok("allowed")),
            Permitted::Refused(why) => {
                return Ok(Err(Told::refused(why.to_owned(), Some("refused"))));
            }
            Permitted::AskUnlessGranted if self.asking.grants.cover(&plan.grant, now) => {
                return Ok(Ok("granted"));
            }
            Permitted::AskAgain | Permitted::AskUnlessGranted => {}
        }
        let subject = Subject {
            item: &call.item,
            tool_use: &call.tool_use,
        };
        let verdict = self
            .asking
            .ask(plan, subject, journal, &self.cancel)
            .await?;
        Ok(match verdict {
            Verdict::Approved => Ok("approved"),
            Verdict::Declined(why) => Err(Told::refused(
                format!("not approved: {why}"),
                Some("refused"),
            )),
            Verdict::Ends(why) => {
                let why = format!("not approved: {why}");
                answered.ending = Some(Ending::Blocked(format!("{}: {why}", call.asked.name)));
                Err(Told::refused(why, Some("refused")))
            }
            Verdict::Cancelled => Err(Told::not_run(INTERRUPTED)),
        })
    }

    fn outcome<'c>(&'c self, ready: Ready<'c>) -> BoxFuture<'c, (&'c Call, Outcome)> {
        async move {
            let outcome = self.run(&*ready.tool, ready.plan).await;
            (ready.call, outcome)
        }
        .boxed()
    }

    async fn run(&self, tool: &dyn Tool, plan: Plan) -> Outcome {
        tool.run(plan, &self.session, self.cancel.child_token())
            .await
    }
}

enum Planned<'c> {
    Ready(Ready<'c>),
    Not(Told),
}

/// Records the answer to a call; committed on return.
async fn tell(
    call: &Call,
    told: Told,
    journal: &mut Journal,
    answered: &mut Answered,
) -> Result<(), StoreError> {
    let durability = if told.settled.is_empty() {
        Durability::Process
    } else {
        Durability::Power
    };
    journal.commit(told.events(call), durability).await?;
    answered.told.push((call.at, told.result(call)));
    Ok(())
}

/// The arguments as data: JSON where they are, the text itself where they are not.
pub(super) fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
