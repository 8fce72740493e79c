"""forge's own scenarios, read from its source distribution, each with the right course of calls and what its tools answer to it.

A scenario is prepared afresh for every run: the tools with state start empty, and every tool is watched, so that a call which
does not fit the tool's declared schema is counted before it runs.
"""
import json, pathlib, sys, tomllib
from dataclasses import dataclass, field

from jsonschema import Draft202012Validator

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / ".venv/source"))

from forge.clients.base import format_tool
from forge.core.workflow import ToolDef, Workflow
from tests.eval.scenarios import ALL_SCENARIOS


@dataclass
class Task:
    """A scenario and its right course; `results` is what the tools answer to that course, call by call."""

    scenario: object
    calls: list
    results: list = field(default_factory=list)

    @property
    def name(self):
        return self.scenario.name

    @property
    def stateful(self):
        return self.scenario.build_workflow is not None

    def prepare(self):
        return Run(self)


class Run:
    """One run of a scenario: a fresh workflow whose tools record what reaches them."""

    def __init__(self, task):
        self.scenario = task.scenario
        if self.scenario.build_workflow:
            workflow, self.validate_state = self.scenario.build_workflow()
        else:
            workflow, self.validate_state = self.scenario.workflow, self.scenario.validate_state
        self.schemas = {name: tool.spec.get_json_schema() for name, tool in workflow.tools.items()}
        self.broken, self.ran, self.terminal_arguments = [], [], None
        self.workflow = Workflow(
            name=workflow.name, description=workflow.description,
            tools={name: ToolDef(spec=tool.spec, callable=self.watch(name, tool.callable), prerequisites=tool.prerequisites) for name, tool in workflow.tools.items()},
            required_steps=workflow.required_steps, terminal_tool=workflow.terminal_tool, system_prompt_template=workflow.system_prompt_template,
        )

    def watch(self, name, tool):
        validator = Draft202012Validator(self.schemas[name])

        def watched(**arguments):
            faults = [error.message for error in validator.iter_errors(arguments)]
            if faults:
                self.broken.append(f"{name}: {faults[0]}")
            result = tool(**arguments)
            self.ran.append(name)
            if name in self.workflow.terminal_tools:
                self.terminal_arguments = arguments
            return result

        return watched

    def execute(self, name, arguments):
        """Run what a model called, as a plain loop does it: text of the arguments in, text of the result out."""
        if name not in self.workflow.tools:
            self.broken.append(f"{name}: no such tool")
            return f"[ToolError] KeyError: '{name}'"
        try:
            values = json.loads(arguments) if isinstance(arguments, str) else arguments
            if not isinstance(values, dict):
                raise TypeError("arguments are not an object")
        except (ValueError, TypeError) as error:
            self.broken.append(f"{name}: {error}")
            return f"[ToolError] {type(error).__name__}: {error}"
        try:
            result = self.workflow.get_callable(name)(**values)
        except Exception as error:
            return f"[ToolError] {type(error).__name__}: {error}"
        return result if isinstance(result, str) else json.dumps(result)

    @property
    def finished(self):
        return self.terminal_arguments is not None

    def done_right(self):
        """The scenario's own validation, and its required steps."""
        if not self.finished or not set(self.workflow.required_steps) <= set(self.ran):
            return False
        try:
            return bool(self.scenario.validate(self.terminal_arguments)) and (self.validate_state is None or bool(self.validate_state()))
        except Exception:
            return False

    def messages(self):
        return [{"role": "system", "content": self.workflow.build_system_prompt()}, {"role": "user", "content": self.scenario.user_message}]

    def tools(self):
        return [format_tool(spec) for spec in self.workflow.get_tool_specs()]


def load():
    """All tasks; a course that does not do its scenario right is an error of ours and ends the program."""
    courses = {course["task"]: course["calls"] for course in tomllib.loads((HERE / "courses.toml").read_text())["course"]}
    tasks = []
    for scenario in ALL_SCENARIOS:
        calls = courses.get(scenario.name.removesuffix("_stateful"))
        if calls is None:
            continue  # forge's four scenarios of context compaction test no fault of a model
        task = Task(scenario, calls)
        run = task.prepare()
        task.results = [run.execute(name, json.dumps(arguments)) for name, arguments in calls]
        if not run.done_right() or run.broken or len(set(task.results[:-1])) != len(calls) - 1:
            sys.exit(f"courses.toml: the course of {scenario.name} does not do it right: {run.broken or task.results}")
        tasks.append(task)
    return tasks
