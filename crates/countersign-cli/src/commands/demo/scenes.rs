//! The scenes: which model is asked what, and what goes wrong.

use crate::args::DemoScene;
use serde_json::{Value, json};

/// A scene.
#[derive(Debug)]
pub(super) struct Scene {
    /// Its name.
    pub name: DemoScene,
    /// What the model does wrong, in one sentence.
    pub about: &'static str,
    /// The model, which always errs in the same way.
    pub model: &'static str,
    /// What it may call.
    pub tools: Tools,
    /// How its answer is delivered.
    pub delivery: Delivery,
    /// What the client says beside the request.
    pub headers: &'static [(&'static str, &'static str)],
    /// What was said before.
    pub said: Said,
}

/// What a model may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tools {
    /// Nothing.
    None,
    /// A tool that only looks.
    Weather,
    /// One that looks, and one that deletes.
    WeatherAndDelete,
}

/// How an answer is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// As one body.
    Whole,
    /// As a stream.
    Streamed,
}

/// What was said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// A question about the weather.
    Weather,
    /// A question about the market.
    Market,
    /// A question, and the result of a call that is not there.
    Orphan,
}

impl Scene {
    /// The request, as a client writes it.
    pub(super) fn request(&self) -> Value {
        let mut request = json!({"model": self.model, "messages": self.messages()});
        if let Some(fields) = request.as_object_mut() {
            if self.tools != Tools::None {
                fields.insert("tools".to_owned(), self.declare());
            }
            if self.delivery == Delivery::Streamed {
                fields.insert("stream".to_owned(), json!(true));
            }
        }
        request
    }

    fn messages(&self) -> Value {
        match self.said {
            Said::Weather => json!([{"role": "user", "content": WEATHER}]),
            Said::Market => json!([{"role": "user", "content": "How did the market do?"}]),
            Said::Orphan => json!([
                {"role": "user", "content": WEATHER},
                {"role": "tool", "tool_call_id": "call_of_yesterday", "content": "31 degrees and sun"},
            ]),
        }
    }

    fn declare(&self) -> Value {
        let weather = json!({
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1, "maximum": 10},
        });
        let weather = tool("get_weather", "Get the weather of a city.", "city", &weather);
        let delete = json!({"booking_id": {"type": "string"}});
        let delete = tool("delete_booking", "Delete a booking for good.", "booking_id", &delete);
        if self.tools == Tools::WeatherAndDelete { json!([weather, delete]) } else { json!([weather]) }
    }
}

fn tool(name: &str, about: &str, required: &str, properties: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": name,
        "description": about,
        "parameters": {
            "type": "object", "properties": properties, "required": [required], "additionalProperties": false,
        },
    }})
}

/// A scene that needs nothing special.
const fn scene(name: DemoScene, model: &'static str, about: &'static str) -> Scene {
    Scene { name, about, model, tools: Tools::Weather, delivery: Delivery::Whole, headers: &[], said: Said::Weather }
}

/// The tour.
pub(super) const SCENES: &[Scene] = &[
    scene(DemoScene::Clean, "demo-clean", "A call with nothing wrong passes byte for byte."),
    scene(DemoScene::Name, "demo-name", "The tool's name is misspelt, and only one tool can be meant."),
    scene(DemoScene::Types, "demo-types", "A number is written as text."),
    scene(DemoScene::Json, "demo-json", "The arguments are not JSON."),
    scene(DemoScene::Text, "demo-text-call", "The call is written into the text, where no client looks for it."),
    scene(DemoScene::Missing, "demo-missing", "A required field is left out; told so, the model puts it right."),
    scene(DemoScene::Stubborn, "demo-stubborn", "A required field is left out, again and again."),
    Scene {
        tools: Tools::WeatherAndDelete,
        headers: &[("countersign-context", r#"{"user": {"role": "viewer"}}"#)],
        ..scene(DemoScene::Parallel, "demo-parallel", "Two calls at once; a viewer may not make the second.")
    },
    Scene {
        delivery: Delivery::Streamed,
        ..scene(DemoScene::Cut, "demo-cut", "The stream breaks off in the middle of a call.")
    },
    Scene {
        tools: Tools::None,
        headers: &[("countersign", "claims")],
        said: Said::Market,
        ..scene(DemoScene::Claims, "demo-claims", "The answer states figures that nobody verified.")
    },
    Scene {
        said: Said::Orphan,
        ..scene(DemoScene::History, "demo-clean", "The client sends a result whose call is lost, and it is believed.")
    },
];

const WEATHER: &str = "What is the weather in Oslo for the next 3 days?";
