//! `countersign demo`: the drop-in gateway at work, in short scenes.
//!
//! The server of `countersign serve` runs inside this process on a free port of the loopback, with the demo model behind
//! it and nothing on disk. Each scene asks the model twice: straight, to show what it wrote, and through the gateway, as
//! a client would. Nothing is staged: what is shown is what came back. No variable and no file of the caller's has a say,
//! so that a scene looks the same everywhere.

/// The scenes: who is asked, and what.
mod scenes;
/// What came back, read as a client reads it.
mod heard;
/// One scene, played.
mod play;

use super::{format, print};
use crate::args::{ConfigArgs, DemoArgs, Format};
use crate::config::{Config, Layers};
use crate::failure::Failure;
use crate::human;
use crate::human::canvas::Canvas;
use play::{Played, Stage};
use scenes::SCENES;

/// Plays the tour.
pub(crate) fn run(args: &DemoArgs) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(format!("cannot start the threads: {error}")))?;
    runtime.block_on(tour(args)).map(|()| 0)
}

async fn tour(args: &DemoArgs) -> Result<(), Failure> {
    let stage = Stage::open(config()?).await?;
    let told = tell(args, &stage).await;
    stage.close().await;
    told
}

async fn tell(args: &DemoArgs, stage: &Stage) -> Result<(), Failure> {
    let format = format(args.format);
    let canvas = Canvas::new(args.color, None);
    let mut all: Vec<Played> = Vec::new();
    if format == Format::Human {
        print(&human::demo::opening(canvas.clone()))?;
    }
    for (at, scene) in SCENES.iter().enumerate().filter(|(_, scene)| args.scene.is_none_or(|one| one == scene.name)) {
        let played = stage.play(scene).await?;
        match format {
            Format::Human => print(&human::demo::draw(canvas.clone(), at + 1, &json(&played)?))?,
            Format::Jsonl => print(&format!("{}\n", json(&played)?))?,
            Format::Json => all.push(played),
        }
    }
    match format {
        Format::Human => print(&human::demo::ending(canvas)),
        Format::Jsonl => Ok(()),
        Format::Json => print(&format!("{:#}\n", json(&all)?)),
    }
}

/// The server's settings: none of the caller's.
fn config() -> Result<Config, Failure> {
    let args = ConfigArgs {
        listen: Some("127.0.0.1:0".to_owned()),
        data_dir: Some(":memory:".to_owned()),
        ..ConfigArgs::default()
    };
    Layers::read(&args, &|_| None)?.config()
}

fn json(value: &impl serde::Serialize) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(value).map_err(|error| Failure::Internal(error.to_string()))
}
