//! The options of a model as judge, for `factcheck`.

use clap::Args;

/// A model that is asked where no other source could tell.
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// An OpenAI-compatible address of a model that is asked last, with its `/v1`; the key is COUNTERSIGN_JUDGE_KEY
    #[arg(long = "judge", value_name = "URL", requires = "model")]
    pub url: Option<String>,
    /// The name of the model
    #[arg(long = "judge-model", value_name = "NAME", requires = "url")]
    pub model: Option<String>,
    /// How long the model may take for a claim
    #[arg(long = "judge-timeout", value_name = "SECONDS", default_value_t = 20.0, value_parser = seconds)]
    pub timeout: f64,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it must be a number of seconds".to_owned())?;
    if (0.01..=600.0).contains(&number) { Ok(number) } else { Err("it must be from 0.01 to 600 seconds".to_owned()) }
}
