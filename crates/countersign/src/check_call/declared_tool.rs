//! A tool as it was declared, with what is read out of its words: each thing once, when it is first needed.

use super::params::Param;
use super::tool_deeds::ToolDeeds;
use super::tool_purpose::ToolPurpose;
use crate::contract::ToolSpec;
use crate::contract::digest::tool_digest;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A declared tool. It reads as its [`ToolSpec`].
#[derive(Debug)]
pub struct DeclaredTool {
    spec: ToolSpec,
    deeds: OnceLock<ToolDeeds>,
    params: OnceLock<Param>,
    purpose: OnceLock<ToolPurpose>,
    digest: OnceLock<Arc<str>>,
}

impl DeclaredTool {
    /// A tool of which nothing was read yet.
    pub(crate) fn new(spec: ToolSpec) -> Self {
        let (deeds, params, purpose, digest) = Default::default();
        Self { spec, deeds, params, purpose, digest }
    }

    /// It as it was declared, apart from what was read.
    pub fn to_spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    /// What it does.
    pub(crate) fn deeds(&self) -> &ToolDeeds {
        self.deeds.get_or_init(|| ToolDeeds::of(&self.spec))
    }

    /// What it takes, as its schema says, whether that can be compiled or not.
    pub(crate) fn params(&self) -> &Param {
        self.params.get_or_init(|| {
            let schema = self.spec.input.as_ref().and_then(|schema| serde_json::from_str(schema.0.get()).ok());
            schema.map(|schema| Param::read(&schema)).unwrap_or_default()
        })
    }

    /// What it says it is for.
    pub(crate) fn purpose(&self) -> &ToolPurpose {
        self.purpose.get_or_init(|| ToolPurpose::of(&self.spec))
    }

    /// The digest of its definition.
    pub(crate) fn digest(&self) -> Arc<str> {
        Arc::clone(self.digest.get_or_init(|| tool_digest(Some(&self.spec)).into()))
    }
}

impl Deref for DeclaredTool {
    type Target = ToolSpec;

    fn deref(&self) -> &ToolSpec {
        &self.spec
    }
}
