//! A claim: a piece of a message that says something checkable about the world, and what became of it.
//!
//! "Pending" means that nobody has verified it, never that it is false. Plain data: finding, marking and settling are
//! in `claims`.

use super::Language;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// What kind of thing a claim says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub enum ClaimKind {
    /// A share: 12.5%, 三成, one in five.
    Percentage,
    /// Money.
    Currency,
    /// A date, a year, a quarter, a decade.
    Date,
    /// Who is said to say so.
    Citation,
    /// A number with a unit or of things.
    Quantity,
    /// A comparison, a superlative, a rank.
    Comparison,
    /// An address on the web.
    Url,
    /// The version of a thing.
    Version,
    /// A named index or ratio with its value.
    Statistic,
    /// A kind that the user has added in the policy.
    Own(Arc<str>),
}

impl ClaimKind {
    /// The kinds that ship.
    pub const SHIPPED: [Self; 9] = [
        Self::Percentage,
        Self::Currency,
        Self::Date,
        Self::Citation,
        Self::Quantity,
        Self::Comparison,
        Self::Url,
        Self::Version,
        Self::Statistic,
    ];

    /// The name on the wire.
    pub fn name(&self) -> &str {
        match self {
            Self::Percentage => "percentage",
            Self::Currency => "currency",
            Self::Date => "date",
            Self::Citation => "citation",
            Self::Quantity => "quantity",
            Self::Comparison => "comparison",
            Self::Url => "url",
            Self::Version => "version",
            Self::Statistic => "statistic",
            Self::Own(name) => name,
        }
    }
}

impl From<String> for ClaimKind {
    fn from(name: String) -> Self {
        let shipped = Self::SHIPPED.into_iter().find(|kind| kind.name() == name);
        shipped.unwrap_or_else(|| Self::Own(name.into()))
    }
}

impl Serialize for ClaimKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// Nobody has verified it.
    #[default]
    Pending,
    /// A source bears it out.
    Verified,
    /// A source says otherwise.
    Disputed,
    /// The sources were asked and none could tell.
    Unverifiable,
}

impl ClaimStatus {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Verified => "verified",
            Self::Disputed => "disputed",
            Self::Unverifiable => "unverifiable",
        }
    }
}

/// How exactly a value is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// About, nearly, 约, or an inner 多 or 余.
    About,
    /// Over, at least, 超过, 以上.
    Over,
    /// Under, at most, 不到, 以下.
    Under,
}

/// What a claim says, in one form whatever its words: 12.5% is 0.125 of `ratio`, 3.4亿元 is 340,000,000 of `CNY`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClaimValue {
    /// The number in the base unit; the lower end of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    /// The upper end of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The base unit: `ratio`, `times`, a currency's ISO code, `m`, `kg`, `s`, `celsius` … Absent for counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What is counted or named: the head noun, the measure word, the index, the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// A date in ISO 8601, also a partial one (`2024`, `2024-03`, `--09-06`), `2024-Q3`, `2024-H1`, `1990s`, `C19`;
    /// an interval as `2019/2021`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// How exactly the number is meant; absent where it is meant as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Half of the last place that was written, in the base unit: 12% may be anything from 11.5% to 12.5%.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
}

/// Where a claim was settled: who said so, in which words, at which place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimSource {
    /// The source: `tool_result`, `search_result`, `note`, `material`, `file`, `arithmetic`, `knowledge_base`,
    /// `fact_checker`, `model`, or the user's own.
    pub name: String,
    /// What in it: a call's id, a link, a name, a file, a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The passage that bears it out or conflicts with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passage: Option<String>,
    /// Where the passage begins in the place, in UTF-8 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<usize>,
    /// Where it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<usize>,
}

/// A claim where it is in its message.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Claim {
    /// Its name in a session; claims outside a session have none.
    #[serde(default)]
    pub id: Option<String>,
    /// Where it begins, in UTF-8 bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Where it begins in UTF-16 units, as browsers and Java count.
    pub utf16_start: usize,
    /// Where it ends in UTF-16 units.
    pub utf16_end: usize,
    /// Its words.
    pub text: String,
    /// What kind of thing it says.
    pub kind: ClaimKind,
    /// What it says, in one form.
    #[serde(default)]
    pub value: Option<ClaimValue>,
    /// The language of its sentence.
    #[serde(default)]
    pub language: Language,
    /// What became of it.
    #[serde(default)]
    pub status: ClaimStatus,
    /// Why it has this status, once it was looked at.
    #[serde(default)]
    pub verify_note: Option<String>,
    /// Who settled it.
    #[serde(default)]
    pub source: Option<ClaimSource>,
}

impl Claim {
    /// Whether a source bears it out.
    pub fn verified(&self) -> bool {
        self.status == ClaimStatus::Verified
    }
}

/// The wire says `type` beside `kind` and `verified` beside `status`, for readers of either name.
impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Wire<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<&'a str>,
            start: usize,
            end: usize,
            utf16_start: usize,
            utf16_end: usize,
            text: &'a str,
            kind: &'a ClaimKind,
            r#type: &'a ClaimKind,
            #[serde(skip_serializing_if = "Option::is_none")]
            value: Option<&'a ClaimValue>,
            language: Language,
            status: ClaimStatus,
            verified: bool,
            verify_note: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            source: Option<&'a ClaimSource>,
        }
        Wire {
            id: self.id.as_deref(),
            start: self.start,
            end: self.end,
            utf16_start: self.utf16_start,
            utf16_end: self.utf16_end,
            text: &self.text,
            kind: &self.kind,
            r#type: &self.kind,
            value: self.value.as_ref(),
            language: self.language,
            status: self.status,
            verified: self.verified(),
            verify_note: self.verify_note.as_deref(),
            source: self.source.as_ref(),
        }
        .serialize(serializer)
    }
}

/// A message with the claims that are in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkedMessage {
    /// The message's id, empty where it has none.
    pub id: String,
    /// Its words, untouched.
    pub content: String,
    /// Whether a claim in it is not verified: pending, unverifiable or disputed.
    pub needs_verify: bool,
    /// The claims, in order, without overlaps.
    pub claims: Vec<Claim>,
}

/// What changed about a claim: one entry of the event `claims_updated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimUpdate {
    /// The claim.
    pub id: String,
    /// What became of it.
    pub status: ClaimStatus,
    /// Why.
    pub note: Option<String>,
    /// Who says so.
    pub source: Option<ClaimSource>,
}

#[cfg(test)]
mod tests {
    use super::*;

    // CLAIM-1
    #[test]
    fn a_claim_reads_back_as_it_was_written() {
        let value = ClaimValue { number: Some(0.125), unit: Some("ratio".into()), ..ClaimValue::default() };
        let claim = Claim {
            id: None,
            start: 7,
            end: 12,
            utf16_start: 5,
            utf16_end: 10,
            text: "12.5%".into(),
            kind: ClaimKind::Percentage,
            value: Some(value),
            language: Language::English,
            status: ClaimStatus::Verified,
            verify_note: Some("stands in the table".into()),
            source: None,
        };
        let json = serde_json::to_value(&claim).unwrap();
        assert_eq!((&json["kind"], &json["type"]), (&"percentage".into(), &"percentage".into()));
        assert_eq!(json["verified"], true);
        assert_eq!(serde_json::from_value::<Claim>(json).unwrap(), claim);
    }

    #[test]
    fn an_own_kind_keeps_its_name() {
        let kind: ClaimKind = serde_json::from_str("\"drug_dose\"").unwrap();
        assert_eq!(kind, ClaimKind::Own("drug_dose".into()));
        assert_eq!(serde_json::to_string(&kind).unwrap(), "\"drug_dose\"");
    }
}
