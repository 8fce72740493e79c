//! The policy that coding agents are judged by: services on the own machine are what they work on.

use crate::policy::Policy;
use crate::policy::pattern::Pattern;
use crate::text::lists::word_list;

/// A policy, for coding agents.
pub fn for_coding(mut policy: Policy) -> Policy {
    policy.allow.hosts.extend(OWN_HOSTS.iter().map(|host| Pattern::new(*host)));
    policy
}

/// Whether a host is one that people work on: this machine, the private network.
pub(crate) fn is_own_host(host: &str) -> bool {
    OWN_HOSTS.iter().any(|own| Pattern::new(*own).matches(host))
}

const OWN_HOSTS: &[&str] = word_list!("coding", "policy/own-hosts");
