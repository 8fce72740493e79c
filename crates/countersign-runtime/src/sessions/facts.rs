//! Claims on their way (CLAIM-2, CLAIM-4): messages between the user's own agents, marked, linked and looked up.
//!
//! The lineage of a session is read from its log and kept for a while; the log stays the truth. A claim is marked until a
//! source verifies it, whatever an agent says of itself. While sources are asked nothing is held that marking needs: a
//! slow one delays no message. Two looks at one session follow each other, so that no two say different things.

use super::error::SessionError;
use super::known::Known;
use super::session::Sessions;
use crate::factcheck::{Again, Asked, Evidence, FactCheck, Pass, Summary};
use crate::ids::new_id;
use crate::stream::Draft;
use countersign::claims::lineage::Step;
use countersign::claims::mark::{apply, mark};
use countersign::claims::marked;
use countersign::contract::{ClaimStatus, ClaimUpdate, ContentType, EventType, MarkedMessage};
use countersign::policy::{Policy, ScorePolicy};
use serde::Serialize;
use serde_json::json;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A message from one agent to another.
#[derive(Debug, Clone)]
pub struct Relay {
    /// Who says it.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What.
    pub content: String,
    /// The messages that it was made from; what the sender was last sent where none is named.
    pub derived_from: Vec<String>,
}

/// What a relayed message became.
#[derive(Debug, Clone, Serialize)]
pub struct Relayed {
    /// Its name.
    pub message_id: String,
    /// Whether a claim in it is not verified.
    pub needs_verify: bool,
    /// The claims.
    pub claims: Vec<countersign::contract::Claim>,
}

/// What a look-up came to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FactReport {
    /// What changed.
    pub claims: Vec<ClaimUpdate>,
    /// How all claims of the session stand now.
    pub summary: Summary,
    /// What went wrong, and how often.
    pub troubles: BTreeMap<String, usize>,
}

/// Where claims of sessions are marked and looked up.
pub struct SessionClaims {
    pub(super) sessions: Sessions,
    facts: std::sync::Mutex<HashMap<String, Arc<SessionFacts>>>,
    pub(super) running: TaskTracker,
    pub(super) shutdown: CancellationToken,
}

/// The claims of one session.
#[derive(Default)]
pub(super) struct SessionFacts {
    known: Mutex<Known>,
    /// Held by whoever looks claims up.
    checking: Mutex<Checking>,
    /// Held by whoever asks a model, which may take long.
    judging: Mutex<()>,
    /// A look that has not begun: it will see all that is said until then.
    pub(super) queued: std::sync::Mutex<Option<CancellationToken>>,
}

/// A look at the claims of a session: by whom, with what beside the session's own evidence, and at which claims.
pub(super) struct Look {
    pub(super) node: Arc<FactCheck>,
    pub(super) vouched: Vec<Evidence>,
    pub(super) again: Again,
    pub(super) occasion: Occasion,
}

/// Why claims are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Somebody asked for it.
    Request,
    /// Something was said.
    Message,
}

/// What is to be looked up, and on which evidence.
struct Basis {
    messages: Vec<MarkedMessage>,
    evidence: Vec<Evidence>,
    /// Tells whether there is new evidence.
    digest: u64,
}

/// What looks at a session remember.
#[derive(Default)]
struct Checking {
    /// The words of its files.
    files: HashMap<String, Option<String>>,
    /// On which evidence claims were looked up last.
    seen: Option<u64>,
}

impl SessionClaims {
    /// For these sessions.
    pub fn new(sessions: Sessions) -> Self {
        let (facts, running) = (std::sync::Mutex::default(), TaskTracker::new());
        Self { sessions, facts, running, shutdown: CancellationToken::new() }
    }

    /// Passes a message on: marks its claims, links them to where they came from, and writes it to the log.
    pub async fn relay(&self, session: &str, relay: Relay, policy: &Policy) -> Result<Relayed, SessionError> {
        let facts = self.facts(session);
        let mut known = facts.known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        let id = new_id("msg")?;
        let mut message = mark(&id, &relay.content, marked::claims(&relay.content, &policy.claims));
        let derived: Vec<&str> = relay.derived_from.iter().map(String::as_str).collect();
        let unusable = |error: countersign::claims::lineage::LineageError| SessionError::Unusable {
            field: "derived_from",
            message: error.to_string(),
        };
        let updates = known.lineage.add(&message, &relay.from, &relay.to, &derived).map_err(unusable)?;
        apply(&mut message, &updates);
        let draft = message_draft(&message, &relay.from, &relay.to, &relay.derived_from);
        if let Err(error) = self.sessions.hub().writer(session).write(vec![draft]).await {
            // What is not in the log was not said: the next one reads the log again.
            *known = Known::default();
            return Err(error.into());
        }
        Ok(message.into())
    }

    /// Marks the claims of a message that its agent is about to say. What is known of them already is told.
    pub async fn mark(
        &self,
        session: &str,
        id: &str,
        relay: &Relay,
        policy: &Policy,
    ) -> Result<MarkedMessage, SessionError> {
        let facts = self.facts(session);
        let mut known = facts.known.lock().await;
        let mut message = mark(id, &relay.content, marked::claims(&relay.content, &policy.claims));
        match known.catch_up(self.sessions.hub(), session).await {
            // What was said before cannot be read now: its claims stay pending, which is never wrong, and the turn goes on.
            Err(SessionError::Store(error)) if error.may_pass() => {
                tracing::warn!(session, %error, "claims are marked without those of the messages before");
                return Ok(message);
            }
            caught_up => caught_up?,
        }
        // It is not in the log yet, so the graph that is kept must not have it either.
        let mut lineage = known.lineage.clone();
        if let Ok(updates) = lineage.add(&message, &relay.from, &relay.to, &[]) {
            apply(&mut message, &updates);
        }
        Ok(message)
    }

    /// Looks up the claims of a session, and writes what became of them to the log. New evidence is held against all that
    /// nobody could tell before; `again` asks about everything that is not verified.
    pub async fn check(
        &self,
        session: &str,
        node: Arc<FactCheck>,
        vouched: Vec<Evidence>,
        again: Again,
    ) -> Result<FactReport, SessionError> {
        let look = Look { node, vouched, again, occasion: Occasion::Request };
        self.look_up(session, &self.facts(session), look, || ()).await
    }

    /// The same; `begun` is called once nobody else looks. The model is asked last and by itself, so that what is said
    /// meanwhile is held against the other sources at once.
    pub(super) async fn look_up(
        &self,
        session: &str,
        facts: &SessionFacts,
        mut look: Look,
        begun: impl FnOnce(),
    ) -> Result<FactReport, SessionError> {
        let mut checking = facts.checking.lock().await;
        begun();
        let basis = self.gather(session, facts, &mut checking, &look).await?;
        let is_new = checking.seen.replace(basis.digest) != Some(basis.digest) || !look.vouched.is_empty();
        if is_new && look.again == Again::LeaveSettled {
            look.again = Again::RetryUnverifiable;
        }
        let asks_model = look.node.asks_model();
        let asked = if asks_model { Asked::AllButTheModel } else { Asked::Everybody };
        let mut report = self.ask(session, facts, &look, basis, asked).await?;
        drop(checking);
        if asks_model {
            let _alone = facts.judging.lock().await;
            let basis = self.gather(session, facts, &mut *facts.checking.lock().await, &look).await?;
            let said = self.ask(session, facts, &look, basis, Asked::Everybody).await?;
            report.claims.extend(said.claims);
            report.troubles.extend(said.troubles);
        }
        report.summary = facts.known.lock().await.summary();
        Ok(report)
    }

    /// What is to be looked up, and on which evidence.
    async fn gather(
        &self,
        session: &str,
        facts: &SessionFacts,
        checking: &mut Checking,
        look: &Look,
    ) -> Result<Basis, SessionError> {
        let (messages, mut evidence) = {
            let mut known = facts.known.lock().await;
            known.catch_up(self.sessions.hub(), session).await?;
            (known.open_messages(), known.evidence().to_vec())
        };
        if messages.is_empty() {
            return Ok(Basis { messages, evidence: Vec::new(), digest: 0 });
        }
        evidence.extend(self.sessions.kept_evidence(session, &mut checking.files).await?);
        let digest = digest(&evidence);
        evidence.extend(look.vouched.iter().cloned());
        Ok(Basis { messages, evidence, digest })
    }

    /// Asks the sources, on a thread that may wait, and writes what they said.
    async fn ask(
        &self,
        session: &str,
        facts: &SessionFacts,
        look: &Look,
        basis: Basis,
        asked: Asked,
    ) -> Result<FactReport, SessionError> {
        let Basis { messages, evidence, .. } = basis;
        let mut report = FactReport::default();
        if messages.is_empty() {
            return Ok(report);
        }
        let before = collect_states(&messages);
        // Where there is nothing to look into, nobody has looked: unless somebody asked, the claims stay pending.
        let idle = look.occasion == Occasion::Message && evidence.is_empty() && !look.node.has_sources();
        let (node, pass) = (Arc::clone(&look.node), Pass { again: look.again, asked });
        let looking = move || node.run_pass(pass, &messages, &evidence, &[], &mut |_| ControlFlow::Continue(()));
        let found = tokio::task::spawn_blocking(looking).await.map_err(|error| SessionError::Unusable {
            field: "session",
            message: format!("the fact check broke off: {error}"),
        })?;
        // Where more became known while the sources were asked, that holds.
        let mut updates = found.updates;
        updates.retain(|update| !(idle && update.status == ClaimStatus::Unverifiable));
        let mut known = facts.known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        updates
            .retain(|update| before.get(&update.id) == known.lineage.state(&update.id).map(|now| now.status).as_ref());
        report.claims = self.write(session, &mut known, &updates, look.node.score()).await?;
        report.troubles = found.troubles;
        Ok(report)
    }

    /// Writes what was found of claims; gives everything that changed by it.
    async fn write(
        &self,
        session: &str,
        known: &mut Known,
        found: &[ClaimUpdate],
        score: &ScorePolicy,
    ) -> Result<Vec<ClaimUpdate>, SessionError> {
        let changed = known.settle(found);
        if changed.is_empty() {
            return Ok(changed);
        }
        let fields = json!({"claims": changed, "messages": known.list_changed(&changed, score)});
        let draft = Draft::new(EventType::ClaimsUpdated, "factcheck", ContentType::Claims, fields);
        if let Err(error) = self.sessions.hub().writer(session).write(vec![draft]).await {
            *known = Known::default();
            return Err(error.into());
        }
        known.catch_up(self.sessions.hub(), session).await?;
        Ok(changed)
    }

    /// The messages of a session with their claims, each in the state that it has reached.
    pub async fn messages(&self, session: &str) -> Result<Vec<MarkedMessage>, SessionError> {
        let facts = self.facts(session);
        let mut known = facts.known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        Ok(known.messages.clone())
    }

    /// One message with its claims, as they stand now.
    pub async fn message(&self, session: &str, id: &str) -> Result<MarkedMessage, SessionError> {
        let facts = self.facts(session);
        let mut known = facts.known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        known.message(id).cloned().ok_or_else(|| SessionError::missing("message", id))
    }

    /// Where a claim came from, step by step.
    pub async fn trace(&self, session: &str, claim: &str) -> Result<Vec<Step>, SessionError> {
        let facts = self.facts(session);
        let mut known = facts.known.lock().await;
        known.catch_up(self.sessions.hub(), session).await?;
        let steps = known.lineage.trace(claim);
        if steps.is_empty() { Err(SessionError::missing("claim", claim)) } else { Ok(steps) }
    }

    pub(super) fn facts(&self, session: &str) -> Arc<SessionFacts> {
        let mut facts = self.facts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if facts.len() >= MAX_SESSIONS && !facts.contains_key(session) {
            facts.retain(|_, kept| Arc::strong_count(kept) > 1);
        }
        Arc::clone(facts.entry(session.to_owned()).or_default())
    }
}

impl From<MarkedMessage> for Relayed {
    fn from(message: MarkedMessage) -> Self {
        let MarkedMessage { id: message_id, needs_verify, claims, .. } = message;
        Self { message_id, needs_verify, claims }
    }
}

fn collect_states(messages: &[MarkedMessage]) -> HashMap<String, ClaimStatus> {
    let claims = messages.iter().flat_map(|message| &message.claims);
    claims.filter_map(|claim| Some((claim.id.clone()?, claim.status))).collect()
}

fn digest(evidence: &[Evidence]) -> u64 {
    let mut hasher = DefaultHasher::new();
    evidence.iter().for_each(|piece| (piece.kind.name(), &piece.place, &piece.content).hash(&mut hasher));
    hasher.finish()
}

/// The event of a message with its claims.
pub fn message_draft(message: &MarkedMessage, from: &str, to: &str, derived_from: &[String]) -> Draft {
    let fields = json!({
        "message_id": message.id,
        "from": from,
        "to": to,
        "content": message.content,
        "needs_verify": message.needs_verify,
        "claims": message.claims,
        "derived_from": derived_from,
    });
    Draft::new(EventType::Message, from, ContentType::Text, fields)
}

/// The claims of so many sessions are kept in memory.
const MAX_SESSIONS: usize = 256;
