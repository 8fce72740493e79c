//! The policy that coding agents are judged by: services on the own machine are what they work on.

use crate::policy::Policy;
use crate::policy::pattern::Pattern;
use crate::text::lists::word_list;

/// A policy, for coding agents.
pub fn for_coding(mut policy: Policy) -> Policy {
    policy.allow.hosts.extend(OWN_HOSTS.iter().map(|host| Pattern::new(*host)));
    policy
}

const OWN_HOSTS: &[&str] = word_list!("coding", "policy/own-hosts");
