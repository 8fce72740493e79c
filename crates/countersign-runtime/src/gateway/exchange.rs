//! START HERE: one exchange, from the client's request to the end of its answer.
//!
//! A request goes upstream; what comes back passes as it is, unless it is an answer that may hold tool calls. Those are
//! read while they flow. A client that goes away ends the upstream request, because everything hangs on its stream.

use super::asked::{Asked, Calling};
use super::body::WholeAnswer;
use super::call_resolution::{AskAgain, CallResolution, CorrectionOptions};
use super::driver::Driver;
use super::held::Held;
use super::judging::{ANYONE, GuardSource, Judging, JudgingParts};
use super::ledger::{Entry, Ledger};
use super::people::People;
use super::reading::{Claims, Reading};
use super::results::{ResultVerifier, VerifiedResult};
use super::rewrite::{Ended, Extend, Options, UnknownItems, rewriter};
use super::sse::{Frames, Output};
use super::traffic::{OpenExchange, Traffic};
use super::transport::OutBody;
use super::upstream::{Incoming, Outgoing, Upstream, collect, is_hop};
use super::watching::{Verdicts, watch_stream, watch_whole};
use super::wire::{Fault, Wire};
use crate::examination::{Examination, ExaminedIn, new_examination_id};
use crate::ids::{new_id, new_ordered_id};
use crate::metrics::Metrics;
use crate::store::Kind;
use crate::stream::now_millis;
use crate::usage::UsageReader;
use async_trait::async_trait;
use bytes::Bytes;
use countersign::contract::{Context, Finding, Mode};
use countersign::policy::{DoubtfulAnswers, SuspiciousResults};
use futures_util::{Stream, stream};
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument;

/// The gateway.
pub struct Gateway {
    /// Where guards and rules come from.
    pub guards: Arc<dyn GuardSource>,
    /// The audit.
    pub ledger: Ledger,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Who decides where a person must.
    pub people: People,
    /// What people see of it.
    pub traffic: Traffic,
    /// How it works.
    pub options: GatewayOptions,
}

/// How the gateway works.
#[derive(Debug, Clone)]
pub struct GatewayOptions {
    /// What may be spent on corrections.
    pub corrections: CorrectionOptions,
    /// How often a stream that is held carries a comment.
    pub heartbeat: Duration,
    /// The largest whole answer, in bytes.
    pub largest: usize,
    /// Tools whose calls are only observed.
    pub observed: Arc<HashSet<String>>,
    /// What happens to an answer that a check doubts, where the policy does not decide that.
    pub doubtful_answers: Option<DoubtfulAnswers>,
    /// What becomes of items that the client may run and that nobody here knows.
    pub unknown_items: UnknownItems,
    /// What becomes of answers in a compression that cannot be read.
    pub compressed: Compressed,
}

/// What becomes of answers in a compression that nobody asked for and that cannot be read here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compressed {
    /// They are refused: a call in them would reach the client without being judged.
    #[default]
    Refuse,
    /// They pass as they came, and nobody judges what is in them.
    Pass,
}

/// One request of a client.
pub struct Request {
    /// What it asks, its history repaired.
    pub asked: Asked,
    /// Who is asked; those behind the first only when it fails.
    pub upstreams: Vec<Arc<Upstream>>,
    /// The path behind the upstream's base, with the query.
    pub path: String,
    /// The headers, as they go upstream to each of `upstreams`.
    pub headers: Vec<HeaderMap>,
    /// Whether calls are held, or only watched.
    pub mode: Mode,
    /// What is known of the caller.
    pub context: Map<String, Value>,
    /// Who calls: an approval is bound to it.
    pub caller: String,
    /// Whether the claims of the answer are wanted.
    pub claims: Claims,
    /// The answer's name in the audit, where it has one already.
    pub answer: Option<String>,
    /// What was said of the results that the request brings, as far as it is told.
    pub verdicts: Verdicts,
}

/// What the client gets.
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: ReplyBody,
}

/// A body for the client.
pub enum ReplyBody {
    /// At once.
    Whole(Bytes),
    /// As it comes.
    Stream(Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>),
}

impl Gateway {
    /// Carries a request upstream and its answer back.
    pub async fn exchange(&self, mut request: Request) -> Result<Reply, Fault> {
        let new_name = || new_ordered_id("ans", now_millis()).unwrap_or_default();
        let name = request.answer.get_or_insert_with(new_name);
        let exchange = self.traffic.begin(name, &request.asked, &request.caller, request.mode.name());
        let span = chat_span(&request);
        match self.send(&request).instrument(span.clone()).await {
            Ok((incoming, at)) => self.reply(request, (exchange, span), incoming, at).await,
            Err(fault) => {
                span.record("error.type", fault.code);
                exchange.fail(&fault.message);
                Err(fault)
            }
        }
    }

    /// What the client gets of what came from upstream.
    async fn reply(
        &self,
        request: Request,
        (exchange, span): (OpenExchange, tracing::Span),
        incoming: Incoming,
        at: usize,
    ) -> Result<Reply, Fault> {
        let streamed = is_stream(&incoming.headers);
        if !incoming.status.is_success() {
            span.record("error.type", incoming.status.as_u16());
            exchange.fail(&format!("the upstream answered with status {}", incoming.status));
            return Ok(passed(incoming));
        }
        let mode = request.mode;
        if mode == Mode::Off {
            exchange.unread();
            return Ok(passed(incoming));
        }
        if let Some(coding) = unreadable_coding(&incoming.headers) {
            // An answer that is only watched passes whatever it is.
            if mode != Mode::Enforce || self.options.compressed == Compressed::Pass {
                tracing::warn!(coding, "an answer passes unread, because its compression is not known here");
                exchange.unread();
                return Ok(passed(incoming));
            }
            let fault = unreadable(&coding);
            exchange.fail(&fault.message);
            return Err(fault);
        }
        let reading = Reading { span, ..self.reading(request, exchange, at) };
        match mode {
            Mode::Enforce if streamed => Ok(stream_reply(incoming, reading)),
            Mode::Enforce => whole_reply(incoming, reading, self.options.largest).await,
            _ => Box::pin(watched(incoming, reading, self.options.largest)).await,
        }
    }

    /// Writes down what was put right in a history before it went upstream.
    pub async fn note_repairs(&self, asked: &Asked, findings: &[Finding]) {
        if findings.is_empty() {
            return;
        }
        for finding in findings {
            self.metrics.history_repairs.of([finding.code.id]).add_one();
        }
        let id = new_id("aud").unwrap_or_default();
        let body = json!({
            "action": "history.repaired",
            "route": asked.wire.name(),
            "model": asked.model,
            "findings": findings,
        });
        let entry =
            Entry { kind: Kind::Audit, id, answer: String::new(), status: "history.repaired", body, request: None };
        self.ledger.record(entry).await;
    }

    /// Verifies the tool results of a request, and treats those that look wrong as the policy says, or as `suspicious`
    /// does. Gives the name of the answer that the new ones lead to, where there are any, and the verdicts to tell.
    pub async fn verify_results(
        &self,
        asked: &mut Asked,
        context: &Map<String, Value>,
        caller: &str,
        suspicious: Option<SuspiciousResults>,
    ) -> (Option<String>, Verdicts) {
        if !asked.has_results() {
            return (None, Vec::new());
        }
        let (guard, rules) = (self.guards.guard(asked.tools().as_deref()), self.guards.rules());
        let suspicious = suspicious.unwrap_or(rules.policy.suspicious_results);
        let context = Context(context.clone());
        let verifier = ResultVerifier { guard: &guard, rules: &rules, context: &context, caller, suspicious };
        let found = Box::pin(verifier.verify(asked, &self.people)).await;
        if found.is_empty() {
            return (None, Vec::new());
        }
        let answer = new_ordered_id("ans", now_millis()).unwrap_or_default();
        let mut verdicts = Vec::new();
        for result in found {
            let id = new_examination_id();
            if result.report.is_suspicious {
                self.metrics.suspicious_results.add_one();
                if suspicious != SuspiciousResults::Pass {
                    verdicts.push((id.clone(), "suspicious"));
                }
            }
            self.record_result(id, result, &answer, caller, &rules.policy.version).await;
        }
        (Some(answer), verdicts)
    }

    /// Records what was said of a result. The record is made after the answer: it must not wait for it.
    async fn record_result(
        &self,
        id: String,
        result: VerifiedResult,
        answer: &str,
        caller: &str,
        policy_version: &str,
    ) {
        let VerifiedResult { call, result, report, .. } = result;
        let (answer, caller, policy_version) = (answer.to_owned(), caller.to_owned(), policy_version.to_owned());
        let make = move || {
            let examination = Examination {
                id: &id,
                examined_in: ExaminedIn::Answer(&answer),
                call_id: result.call_id.as_deref(),
                tool: &call.name,
                content: &result.content,
                is_error: result.is_error,
                report: &report,
                policy_version: &policy_version,
                key: Some(caller.as_str()).filter(|caller| *caller != ANYONE),
            };
            examination.record()
        };
        self.ledger.record_later(make).await;
    }

    /// Asks the upstreams in turn; the next only where one failed.
    async fn send(&self, request: &Request) -> Result<(Incoming, usize), Fault> {
        let last = request.upstreams.len().saturating_sub(1);
        for (at, (upstream, headers)) in request.upstreams.iter().zip(&request.headers).enumerate() {
            let out = Outgoing {
                method: Method::POST,
                path: &request.path,
                headers,
                body: OutBody::Bytes(request.asked.body.clone()),
            };
            match upstream.send(out).await {
                Ok(incoming) if at == last || !is_failure(incoming.status) => return Ok((incoming, at)),
                Err(fault) if at == last => return Err(fault),
                Ok(incoming) => {
                    tracing::info!(upstream = upstream.name, status = %incoming.status, "the next upstream is asked")
                }
                Err(fault) => {
                    tracing::info!(upstream = upstream.name, fault = fault.message, "the next upstream is asked")
                }
            }
        }
        Err(Fault::new(503, "no_upstream", "there is no upstream for this request"))
    }

    fn reading(&self, request: Request, exchange: OpenExchange, at: usize) -> Reading {
        let Request { asked, mut upstreams, path, mut headers, mode, context, caller, claims, answer, verdicts } =
            request;
        let asked = Arc::new(asked);
        let judging = Judging::new(JudgingParts {
            guards: Arc::clone(&self.guards),
            asked: Arc::clone(&asked),
            context: Arc::new(context),
            caller,
            mode: mode.name(),
            answer,
            ledger: self.ledger.clone(),
            metrics: Arc::clone(&self.metrics),
        });
        let doubtful = self.options.doubtful_answers.unwrap_or(judging.rules.policy.answers.doubtful);
        let declared = asked.tools().is_some() && asked.calling == Calling::Allowed;
        let registry = judging.guard.registry().filter(|_| declared && mode == Mode::Enforce);
        let may_call = registry.is_some_and(|registry| registry.specs().next().is_some());
        let text_tools = registry.map(|registry| registry.known().clone());
        let mut headers = if at < headers.len() { headers.swap_remove(at) } else { HeaderMap::new() };
        headers.remove("idempotency-key");
        let unknown_items = self.options.unknown_items;
        let again = Again {
            upstream: upstreams.swap_remove(at),
            path,
            headers,
            wire: asked.wire,
            options: Options { text_tools: text_tools.clone(), extend: Extend::No, unknown_items },
            largest: self.options.largest,
        };
        let resolution = CallResolution {
            judging,
            again: Arc::new(again),
            people: self.people.clone(),
            options: self.options.corrections,
            observed: Arc::clone(&self.options.observed),
            doubtful,
            may_call,
        };
        let heartbeat = self.options.heartbeat;
        let span = tracing::Span::none();
        Reading { verdicts, wire: asked.wire, resolution, text_tools, unknown_items, claims, heartbeat, exchange, span }
    }
}

/// The answer for whoever watches, in the words of OpenTelemetry's conventions for models; nothing where nobody does.
fn chat_span(request: &Request) -> tracing::Span {
    if tracing::Span::current().is_disabled() {
        return tracing::Span::none();
    }
    let model = request.asked.model.as_deref().unwrap_or("default");
    let provider = if request.asked.wire == Wire::Messages { "anthropic" } else { "openai" };
    tracing::info_span!(
        "chat",
        otel.name = format!("chat {model}"),
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = model,
        gen_ai.usage.input_tokens = tracing::field::Empty,
        gen_ai.usage.output_tokens = tracing::field::Empty,
        error.type = tracing::field::Empty,
        countersign.upstream = request.upstreams.first().map_or("", |upstream| upstream.name.as_ref()),
    )
}

/// Asks the same upstream again, with a longer conversation.
struct Again {
    upstream: Arc<Upstream>,
    path: String,
    headers: HeaderMap,
    wire: Wire,
    options: Options,
    largest: usize,
}

#[async_trait]
impl AskAgain for Again {
    async fn ask_again(&self, body: Bytes, within: Duration) -> Result<Held, String> {
        let until = Instant::now() + within;
        let out =
            Outgoing { method: Method::POST, path: &self.path, headers: &self.headers, body: OutBody::Bytes(body) };
        let sent = tokio::time::timeout_at(until, self.upstream.send(out)).await;
        let incoming = sent.map_err(|_| "the time is used up".to_owned())?.map_err(|fault| fault.message)?;
        if !incoming.status.is_success() {
            return Err(format!("the upstream answered with status {}", incoming.status));
        }
        if let Some(coding) = unreadable_coding(&incoming.headers) {
            return Err(unreadable(&coding).message);
        }
        let streamed = is_stream(&incoming.headers);
        let bytes = collect(incoming.body, self.largest, Some(until)).await.map_err(|fault| fault.message)?;
        let read = if streamed { self.read_stream(bytes) } else { self.read_body(bytes) };
        read.map_err(|fault| fault.message)
    }
}

impl Again {
    fn read_body(&self, bytes: Bytes) -> Result<Held, Fault> {
        Ok(WholeAnswer::read(self.wire, bytes, &self.options)?.held)
    }

    /// The same reader as for the first answer; what it writes is not sent to anybody.
    fn read_stream(&self, bytes: Bytes) -> Result<Held, Fault> {
        let mut rewriter = rewriter(self.wire, self.options.clone());
        let mut frames = Frames::default();
        let mut list = Vec::new();
        let piece = frames.push(bytes, &mut list).map_err(|_| Fault::cut("an event is too long"))?;
        let mut out = Output::new(piece);
        for frame in list.iter().chain(frames.rest().as_ref()) {
            rewriter.frame(frame, &mut out)?;
        }
        rewriter.end(Ended::Clean, &mut out)
    }
}

/// The compression of an answer, where it has one: those that are read here have been undone by the client that fetched it.
fn unreadable_coding(headers: &HeaderMap) -> Option<String> {
    let codings = headers.get_all(CONTENT_ENCODING).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let codings: Vec<String> =
        codings.flat_map(|value| value.split(',').map(|c| c.trim().to_owned()).collect::<Vec<_>>()).collect();
    let unread: Vec<String> =
        codings.into_iter().filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity")).collect();
    (!unread.is_empty()).then(|| unread.join(", "))
}

fn unreadable(coding: &str) -> Fault {
    let coding: String = coding.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(LONGEST_CODING).collect();
    let message = format!(
        "the upstream compressed its answer with `{coding}`, which it was not asked to and which cannot be read here; let it send plain answers, or set `gateway.compressed_answers = \"pass\"` to pass them on unchecked"
    );
    Fault::new(502, "upstream_compressed", message)
}

/// An answer that is none of our business.
fn passed(incoming: Incoming) -> Reply {
    let Incoming { status, headers, body } = incoming;
    let headers = for_client(headers);
    Reply { status, headers, body: ReplyBody::Stream(body) }
}

fn stream_reply(incoming: Incoming, reading: Reading) -> Reply {
    let Incoming { status, headers, body } = incoming;
    let mut headers = for_client(headers);
    // What is written here is never compressed.
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    let driver = Box::new(Driver::new(body, reading));
    let pieces = stream::unfold(driver, |mut driver| async move {
        let piece = driver.next().await?;
        Some((Ok(piece), driver))
    });
    Reply { status, headers, body: ReplyBody::Stream(Box::pin(pieces)) }
}

async fn whole_reply(incoming: Incoming, reading: Reading, largest: usize) -> Result<Reply, Fault> {
    let Incoming { status, headers, body } = incoming;
    let bytes = collect(body, largest, None).await?;
    let mut usage = UsageReader::default();
    usage.read(&bytes);
    let answer = WholeAnswer::read(reading.wire, bytes, &reading.options())?;
    reading.count(usage.tokens(), &answer.held);
    let settled = reading.settle(answer.held.clone()).await;
    let mut headers = for_client(headers);
    headers.remove(CONTENT_ENCODING);
    headers.remove(CONTENT_LENGTH);
    name_verdicts(&mut headers, &settled.verdicts);
    Ok(Reply { status, headers, body: ReplyBody::Whole(answer.write(&settled)) })
}

/// An answer that is only watched.
async fn watched(incoming: Incoming, reading: Reading, largest: usize) -> Result<Reply, Fault> {
    let Reading { verdicts: told, exchange, span, .. } = reading;
    let judging = reading.resolution.judging;
    let Incoming { status, headers, body } = incoming;
    let streamed = is_stream(&headers);
    let mut headers = for_client(headers);
    headers.remove(CONTENT_LENGTH);
    if streamed {
        let body = ReplyBody::Stream(Box::pin(watch_stream(judging, exchange, body, span)));
        return Ok(Reply { status, headers, body });
    }
    let bytes = collect(body, largest, None).await?;
    let mut verdicts = watch_whole(&judging, exchange, &bytes, span).await;
    verdicts.extend(told);
    name_verdicts(&mut headers, &verdicts);
    Ok(Reply { status, headers, body: ReplyBody::Whole(bytes) })
}

/// Names the verdict that weighs most, and where there are several their number and as many as a header may hold, the
/// gravest first. All of them are in the audit, under the answer of any of them.
fn name_verdicts(headers: &mut HeaderMap, verdicts: &Verdicts) {
    let weight = |status: &str| WEIGHTS.iter().position(|name| *name == status).unwrap_or(0);
    let mut gravest: Vec<&(String, &str)> = verdicts.iter().collect();
    gravest.sort_by_key(|(_, status)| std::cmp::Reverse(weight(status)));
    let Some((id, _)) = gravest.first() else { return };
    let value = |text: &str| HeaderValue::from_str(text).ok();
    headers.extend(value(id).map(|value| (VERDICT, value)));
    if verdicts.len() < 2 {
        return;
    }
    let mut named = String::new();
    for (id, status) in gravest {
        let gap = if named.is_empty() { "" } else { ", " };
        if named.len() + gap.len() + id.len() + 1 + status.len() > MAX_VERDICTS {
            break;
        }
        named.push_str(&format!("{gap}{id} {status}"));
    }
    headers.extend(value(&named).map(|value| (VERDICTS, value)));
    headers.insert(VERDICT_COUNT, HeaderValue::from(verdicts.len()));
}

/// Headers as a client gets them.
fn for_client(mut headers: HeaderMap) -> HeaderMap {
    // Only we may speak in our own name.
    let ours = |name: &HeaderName| name.as_str().starts_with("countersign");
    let hops: Vec<_> = headers.keys().filter(|name| is_hop(name) || ours(name)).cloned().collect();
    for name in hops {
        headers.remove(name);
    }
    headers
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    kind.get(..EVENT_STREAM.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(EVENT_STREAM))
}

/// Whether another upstream may do better.
fn is_failure(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 500..=599)
}

/// Statuses, the worst last.
const WEIGHTS: &[&str] = &["approved", "caution", "suspicious", "requires_review", "validation_failed", "rejected"];
const VERDICT: HeaderName = HeaderName::from_static("countersign-verdict");
const VERDICTS: HeaderName = HeaderName::from_static("countersign-verdicts");
const VERDICT_COUNT: HeaderName = HeaderName::from_static("countersign-verdict-count");
/// The most bytes of verdicts in a header: clients and proxies refuse heads that are longer than a few kilobytes.
const MAX_VERDICTS: usize = 3500;
const EVENT_STREAM: &[u8] = b"text/event-stream";
const LONGEST_CODING: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    // SERVE-6: a head that clients and proxies take, however many calls an answer has; the gravest are always named.
    #[test]
    fn the_verdicts_of_many_calls_fit_into_a_head() {
        for count in [0, 1, 2, 79, 200, 4096] {
            let mut verdicts: Verdicts = (0..count).map(|at| (format!("ver_{at:030}"), "approved")).collect();
            if let Some(last) = verdicts.last_mut() {
                last.1 = "rejected";
            }
            let mut headers = HeaderMap::new();
            name_verdicts(&mut headers, &verdicts);
            let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
            assert!(bytes < 4096, "{count}: {bytes}");
            let of = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let gravest = verdicts.last().map(|(id, _)| id.as_str()).unwrap_or_default();
            assert_eq!(of(VERDICT), gravest);
            match count {
                0 | 1 => assert!(of(VERDICTS).is_empty() && of(VERDICT_COUNT).is_empty()),
                _ => {
                    assert!(of(VERDICTS).starts_with(&format!("{gravest} rejected, ")), "{}", of(VERDICTS));
                    assert_eq!(of(VERDICT_COUNT), count.to_string());
                    let named = of(VERDICTS).split(", ").count();
                    assert_eq!(named, count.min(named));
                    assert!(named == count || named > 50);
                }
            }
        }
    }
}
