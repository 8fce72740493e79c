//! The engine in Python: JSON text in, JSON text out. What Python sees is in `python/countersign`; here is only the door.
//!
//! Judging releases the interpreter, so threads judge side by side. A panic becomes an exception. Nothing here decides.

use countersign::contract::{Language, Level, VerificationLevel};
use countersign::lines::stream::OutputStream;
use countersign::lines::{Defaults, Lines};
use countersign::policy::Policy;
use countersign::wire::WireError;
use countersign::wire::tools::read_tools;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

create_exception!(
    _engine,
    RequestError,
    PyValueError,
    "A request that cannot be read; `param` is the field that is wrong."
);
create_exception!(_engine, PolicyError, PyValueError, "A policy that cannot be used; `line` and `column` say where.");
create_exception!(_engine, EngineError, PyRuntimeError, "The engine failed; the call was not judged.");

/// The engine with a policy, tools and defaults.
#[pyclass(frozen)]
struct Engine(Arc<Lines>);

#[pymethods]
impl Engine {
    /// `policy` is TOML; `tools` and `context` are JSON.
    #[new]
    #[pyo3(signature = (policy=None, tools=None, context=None, language=None, level=None, verification_level=None))]
    fn new(
        py: Python<'_>,
        policy: Option<&str>,
        tools: Option<&str>,
        context: Option<&str>,
        language: Option<&str>,
        level: Option<&str>,
        verification_level: Option<&str>,
    ) -> PyResult<Self> {
        let defaults = Defaults {
            tools: tools.map(read_tools).transpose().map_err(bad_request)?,
            context: context.map(read_context).transpose()?.unwrap_or_default(),
            language: named("language", language, Language::from_name, "en or zh")?,
            level: named("level", level, Level::from_name, "strict, moderate or lenient")?,
            verification_level: named(
                "verification_level",
                verification_level,
                VerificationLevel::from_name,
                "high, medium or low",
            )?,
        };
        let policy = read_policy(policy)?;
        run(py, move || Ok(Self(Arc::new(Lines::new(policy, defaults)))))
    }

    fn check(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        run(py, || write(&self.0.check(line)?))
    }

    fn verify(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        run(py, || write(&self.0.verify(line)?))
    }

    fn score(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        run(py, || write(&self.0.score(line)?))
    }

    fn step(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        run(py, || write(&self.0.step(line)?))
    }

    fn answer(&self, py: Python<'_>, line: &str) -> PyResult<Option<String>> {
        run(py, || self.0.answer(line)?.map(|report| write(&report)).transpose())
    }

    fn parse(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        run(py, || write(&self.0.parse(line)?))
    }

    fn claims(&self, py: Python<'_>, line: &str) -> PyResult<String> {
        run(py, || write(&self.0.claims(line)?))
    }

    /// The version of the policy in force.
    fn policy_version(&self) -> String {
        self.0.policy().version.to_string()
    }

    /// Begins to read an output piece by piece.
    #[pyo3(signature = (protocol="auto", schema=None, tools=None))]
    fn parser(&self, protocol: &str, schema: Option<&str>, tools: Option<&str>) -> PyResult<Parser> {
        let schema: Option<Value> = schema.map(serde_json::from_str).transpose().map_err(not_json)?;
        let tools = match tools {
            Some(tools) => read_tools(tools).map_err(bad_request)?,
            None => self.0.defaults().tools.clone().unwrap_or_default(),
        };
        let stream = OutputStream::new(protocol, schema.as_ref(), tools).map_err(bad_request)?;
        Ok(Parser { stream: Mutex::new(Some(stream)), engine: Arc::clone(&self.0) })
    }
}

/// An output read piece by piece.
#[pyclass(frozen)]
struct Parser {
    /// Gone when the output is finished.
    stream: Mutex<Option<OutputStream>>,
    engine: Arc<Lines>,
}

#[pymethods]
impl Parser {
    /// The events of a piece, as a JSON array.
    fn push(&self, py: Python<'_>, piece: &str) -> PyResult<String> {
        run(py, || write(&self.lock().as_mut().ok_or_else(over)?.push(piece)))
    }

    /// The last events, and the reading, as JSON.
    #[pyo3(signature = (reason=None))]
    fn finish(&self, py: Python<'_>, reason: Option<&str>) -> PyResult<(String, String)> {
        run(py, || {
            let stream = self.lock().take().ok_or_else(over)?;
            let (events, reading) = stream.finish(reason, self.engine.policy())?;
            Ok((write(&events)?, write(&reading)?))
        })
    }
}

impl Parser {
    fn lock(&self) -> MutexGuard<'_, Option<OutputStream>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks a policy without keeping it.
#[pyfunction]
fn check_policy(policy: &str) -> PyResult<String> {
    Ok(read_policy(Some(policy))?.version.to_string())
}

/// Seconds that one check takes without Python, the text of its verdict included; the mean over so many.
#[cfg(feature = "bench")]
#[pyfunction]
fn time_check(py: Python<'_>, engine: PyRef<'_, Engine>, line: &str, times: u32) -> PyResult<f64> {
    let lines = Arc::clone(&engine.0);
    run(py, move || {
        let began = std::time::Instant::now();
        for _ in 0..times {
            std::hint::black_box(write(&lines.check(std::hint::black_box(line))?)?);
        }
        Ok(began.elapsed().as_secs_f64() / f64::from(times))
    })
}

/// Judges without the interpreter; a panic is an exception like any other failure of ours.
fn run<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, WireError> + Send) -> PyResult<T> {
    match py.detach(|| catch_unwind(AssertUnwindSafe(work))) {
        Ok(done) => done.map_err(bad_request),
        Err(_) => Err(EngineError::new_err("the engine panicked; the request was not judged")),
    }
}

fn write(report: &impl Serialize) -> Result<String, WireError> {
    serde_json::to_string(report).map_err(|error| WireError { message: error.to_string(), param: None })
}

fn read_policy(toml: Option<&str>) -> PyResult<Arc<Policy>> {
    let Some(toml) = toml else { return Ok(Policy::standard()) };
    Policy::from_toml(toml).map(Arc::new).map_err(|error| bad_policy(toml, &error))
}

/// What is wrong, with its line and column, counted from one.
fn bad_policy(toml: &str, error: &countersign::policy::PolicyError) -> PyErr {
    let before = error.span.as_ref().and_then(|span| toml.get(..span.start));
    let line = before.map(|before| before.matches('\n').count() + 1);
    let column = before.map(|before| before.rsplit('\n').next().unwrap_or_default().chars().count() + 1);
    let help = error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    let raised = PolicyError::new_err(format!("{}{help}", error.message));
    Python::attach(|py| {
        let value = raised.value(py);
        let placed = value.setattr("line", line).and_then(|()| value.setattr("column", column));
        placed.err().unwrap_or(raised)
    })
}

fn read_context(json: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(json).map_err(not_json)
}

fn named<T>(field: &str, name: Option<&str>, find: impl Fn(&str) -> Option<T>, known: &str) -> PyResult<Option<T>> {
    let unknown = |name: &str| WireError::at(field, format!("`{field}` must be {known}, not `{name}`"));
    name.map(|name| find(name).ok_or_else(|| bad_request(unknown(name)))).transpose()
}

fn bad_request(error: WireError) -> PyErr {
    let raised = RequestError::new_err(error.message);
    Python::attach(|py| raised.value(py).setattr("param", error.param).err().unwrap_or(raised))
}

fn not_json(error: serde_json::Error) -> PyErr {
    bad_request(countersign::lines::not_json(error))
}

fn over() -> WireError {
    WireError { message: "this output is finished; begin a new parser".into(), param: None }
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Engine>()?;
    module.add_class::<Parser>()?;
    module.add_function(wrap_pyfunction!(check_policy, module)?)?;
    #[cfg(feature = "bench")]
    module.add_function(wrap_pyfunction!(time_check, module)?)?;
    module.add("RequestError", module.py().get_type::<RequestError>())?;
    module.add("PolicyError", module.py().get_type::<PolicyError>())?;
    module.add("EngineError", module.py().get_type::<EngineError>())?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))
}
