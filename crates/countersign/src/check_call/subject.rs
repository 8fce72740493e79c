//! What a check sees, and what it may say.

use super::guard::{Registry, Tool};
use super::params::{Param, last_word};
use super::role::Roles;
use crate::contract::patch::escape;
use crate::contract::{Answers, Context, Finding, Language, Question};
use crate::conversation::Conversation;
use crate::policy::Policy;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A call on its way through the checks: the name is resolved, the arguments are an object, certain repairs made.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The registered tools, where any are known.
    pub registry: Option<&'a Registry>,
    /// The tool that would run.
    pub tool: &'a Tool,
    /// The arguments that it would run with.
    pub arguments: &'a Map<String, Value>,
    /// Every value in them.
    pub values: &'a Values<'a>,
    /// What was said before.
    pub conversation: &'a Conversation,
    /// What else is known.
    pub context: &'a Context,
    /// The language to speak.
    pub language: Language,
    /// What the outside world said.
    pub answers: &'a Answers,
}

/// What checks have said so far.
#[derive(Debug, Default)]
pub struct Said {
    /// The findings.
    pub findings: Vec<Finding>,
    /// What the outside world should be asked.
    pub questions: Vec<Question>,
}

/// One check: a name for the policy, and the check itself. Its mode is in the policy; the default one has it for each.
#[derive(Debug)]
pub struct Check {
    /// The name that policies use.
    pub name: &'static str,
    /// The check.
    pub run: fn(&Subject<'_>, &mut Said),
}

/// Every value of the arguments, with its place and its parameter. Built once for each call and shared by all checks.
#[derive(Debug, Default)]
pub struct Values<'a> {
    nodes: Vec<Node<'a>>,
}

/// One value in its place.
#[derive(Debug)]
pub struct Node<'a> {
    /// The nearest property name: an item of `ids` is called `ids`.
    pub key: &'a str,
    /// The value itself.
    pub value: &'a Value,
    /// Its parameter, where the schema has one.
    pub param: Option<&'a Param>,
    /// What it is for, by its parameter or by its name.
    pub roles: Roles,
    /// The object or list that holds it; `None` at the top.
    parent: Option<usize>,
    step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Node<'a> {
    /// The last word of its name, which says what kind of thing it is.
    pub fn last_word(&self) -> Cow<'a, str> {
        match self.param {
            Some(param) if !param.last_word.is_empty() => Cow::Borrowed(&param.last_word),
            _ => Cow::Owned(last_word(self.key)),
        }
    }

    /// Whether it is an item of a list.
    pub fn is_item(&self) -> bool {
        matches!(self.step, Step::Index(_))
    }

    /// A value under a key.
    fn of(key: &'a str, value: &'a Value, param: Option<&'a Param>, parent: Option<usize>) -> Self {
        let roles = param.map_or_else(|| Roles::of(key, "", None), |param| param.roles);
        Self { key, value, param, roles, parent, step: Step::Key(key) }
    }
}

impl<'a> Values<'a> {
    /// Whether a value is inside an object whose fields the schema does not name: what it is called there is the
    /// model's own choice, as in the body of a query.
    pub fn is_composed(&self, node: &Node<'a>) -> bool {
        let mut node = node;
        while let (Step::Index(_), Some(parent)) = (node.step, node.parent.and_then(|at| self.nodes.get(at))) {
            node = parent;
        }
        node.param.is_none() && node.parent.is_some()
    }

    /// Walks the arguments without recursion, breadth first, up to a depth.
    pub fn of(arguments: &'a Map<String, Value>, root: &'a Param, depth: usize) -> Self {
        let mut nodes: Vec<Node<'a>> = Vec::with_capacity(arguments.len());
        for (key, value) in arguments {
            nodes.push(Node::of(key, value, root.property(key), None));
        }
        let mut at = 0;
        let mut levels = vec![0usize; nodes.len()];
        while let Some(node) = nodes.get(at) {
            let (value, key, param, roles) = (node.value, node.key, node.param, node.roles);
            let level = levels.get(at).copied().unwrap_or(depth);
            if level < depth {
                match value {
                    Value::Object(map) => nodes.extend(map.iter().map(|(key, value)| {
                        Node::of(key, value, param.and_then(|param| param.property(key)), Some(at))
                    })),
                    Value::Array(list) => nodes.extend(list.iter().enumerate().map(|(index, value)| {
                        let param = param.and_then(|param| param.items.as_deref());
                        let roles = param.map_or(roles, |param| param.roles);
                        Node { key, value, param, roles, parent: Some(at), step: Step::Index(index) }
                    })),
                    _ => {}
                }
                levels.resize(nodes.len(), level + 1);
            }
            at += 1;
        }
        Self { nodes }
    }

    /// All values, the containers before what they hold.
    pub fn all(&self) -> &[Node<'a>] {
        &self.nodes
    }

    /// The values that hold no others.
    pub fn leaves(&self) -> impl Iterator<Item = &Node<'a>> {
        self.nodes.iter().filter(|node| !node.value.is_object() && !node.value.is_array())
    }

    /// The JSON pointer of a node (`/arguments/filter/ids/0`). Only findings need it, so it is written on demand.
    pub fn pointer(&self, node: &Node<'a>) -> String {
        let mut steps = vec![node.step];
        let mut parent = node.parent;
        while let Some(above) = parent.and_then(|at| self.nodes.get(at)) {
            steps.push(above.step);
            parent = above.parent;
        }
        let mut pointer = String::from("/arguments");
        for step in steps.iter().rev() {
            pointer.push('/');
            match step {
                Step::Key(key) => pointer.push_str(&escape(key)),
                Step::Index(at) => pointer.push_str(&at.to_string()),
            }
        }
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_value_has_its_place() {
        let arguments = json!({"a": {"b/c": [1, {"d": 2}]}, "e": "x"});
        let root = Param::default();
        let values = Values::of(arguments.as_object().unwrap(), &root, 16);
        let places: Vec<String> = values.leaves().map(|node| values.pointer(node)).collect();
        assert_eq!(places, ["/arguments/e", "/arguments/a/b~1c/0", "/arguments/a/b~1c/1/d"]);
        let shallow = Values::of(arguments.as_object().unwrap(), &root, 0);
        assert_eq!(shallow.all().len(), 2);
    }
}
