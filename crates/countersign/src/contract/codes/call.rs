//! Codes of the name and the schema.

codes! {
    UNKNOWN_TOOL = "call.unknown-tool", ToolName, Error 0.95, Fatal, Parameters Tool, {
        title: "The tool does not exist",
        what: "The model called a tool that is not registered, and no registered name is near. Nothing else about the call can be checked.",
        mend: "Call one of the registered tools. If the tool should exist, register it with the request.",
        example: "`transfer_funds` among `search`, `get_weather`, `read_file`",
    }
    MISSPELT_TOOL = "call.misspelt-tool", ToolName, Error 0.90, Fatal, Parameters Tool, {
        title: "The tool's name is misspelt",
        what: "The model called a tool that is not registered, and exactly one registered name is clearly meant. At MODERATE the rename is applied where only the spelling differs. It is only proposed where the name says something else (`lock_door` for `unlock_door`, `dry_run_deploy` for `run_deploy`), and where the meant tool cannot be undone.",
        mend: "Use the registered name. Add the other spelling as an alias in the policy if models keep using it.",
        example: "`getWeather` where `get_weather` is registered",
    }
    LEAKED_TOKENS = "call.leaked-tokens", ToolName, Warning 0.95, Gentle, Parameters Tool, {
        title: "Control tokens leaked into the name",
        what: "The registered name is there, with control tokens, blanks or a suffix of the model's own format around it. They are cut off; this is no rename.",
        mend: "Nothing to do. Many of them point at a chat template that does not fit the model.",
        example: "`ls<|channel|>commentary`",
    }
    MALFORMED_ARGUMENTS = "call.malformed-arguments", Parameter, Error 0.95, Fatal, Parameters Parameter, {
        title: "The arguments are not a JSON object",
        what: "The arguments came as a string that is not JSON, or as JSON that is not an object, so there is nothing that could be passed to the tool.",
        mend: "Send the arguments as one JSON object.",
        example: "`\"{\\\"city\\\": Paris\"`",
    }
    TOO_DEEP = "call.too-deep", Parameter, Error 0.95, Fatal, Parameters Parameter, {
        title: "The arguments are nested too deep",
        what: "The arguments hold objects or lists within each other more than 64 levels deep. Checks look no deeper, so nobody could say what such a call does.",
        mend: "Send flatter arguments, or put the deep part into a string.",
        example: "`{\"a\": {\"a\": {\"a\": …}}}` with 65 levels",
    }
    NO_SCHEMA = "call.no-schema", Parameter, Warning 0.50, Gentle, Parameters Parameter, {
        title: "No schema found",
        what: "Nothing is known about the tool, so its name and arguments could not be checked.",
        mend: "Send the tool's definition in `tools`.",
        example: "a call without `tools`",
    }
    BAD_SCHEMA = "call.bad-schema", Parameter, Warning 0.50, Ordinary, Parameters Parameter, {
        title: "The tool's own schema cannot be used",
        what: "The registered schema is not valid JSON Schema, or refers to a document that is not in it. The arguments could not be checked against it.",
        mend: "Mend the tool's definition. References to the network are never followed.",
        example: "`{\"type\": \"objekt\"}`",
    }
    MISSING_FIELD = "call.missing-field", Parameter, Error 0.95, Ordinary, Parameters Parameter, {
        title: "A required argument is missing",
        what: "The schema requires this argument and the call does not have it.",
        mend: "Add the argument. Where its value is unknown, ask the user instead of inventing one.",
        example: "`get_weather` without `city`",
    }
    UNKNOWN_FIELD = "call.unknown-field", Parameter, Error 0.80, Ordinary, Parameters Parameter, {
        title: "The argument does not exist",
        what: "The tool has no such argument. The schema counts as closed unless it says otherwise, because tools silently ignore what they do not know. An object whose schema names no properties is open.",
        mend: "Remove it, or use the argument that is meant.",
        example: "`unit` where the tool only knows `units`",
    }
    WRONG_TYPE = "call.wrong-type", Parameter, Error 0.95, Ordinary, Parameters Parameter, {
        title: "The argument has the wrong type",
        what: "The value's JSON type is not what the schema asks for. Where the conversion loses nothing it is made.",
        mend: "Send the value in the type of the schema.",
        example: "`\"10\"` where an integer is due",
    }
    NOT_IN_ENUM = "call.not-in-enum", Parameter, Error 0.95, Ordinary, Parameters Parameter, {
        title: "The value is not one of the allowed ones",
        what: "The schema lists the allowed values and this is none of them.",
        mend: "Use one of the listed values.",
        example: "`sort: \"up\"` where `asc` and `desc` are allowed",
    }
    OUT_OF_RANGE = "call.out-of-range", Parameter, Error 0.90, Ordinary, Parameters Parameter, {
        title: "The number is out of range",
        what: "The number is below the schema's minimum, above its maximum or not a multiple of its step.",
        mend: "Use a number within the range.",
        example: "`limit: 5000` where the maximum is 100",
    }
    BAD_FORMAT = "call.bad-format", Parameter, Error 0.90, Ordinary, Parameters Parameter, {
        title: "The value does not have its format",
        what: "The schema declares a format (date, e-mail, URI …) and the value does not have it.",
        mend: "Write the value in the declared format.",
        example: "`2026-02-30` where `format: date` is declared",
    }
    BAD_PATTERN = "call.bad-pattern", Parameter, Error 0.90, Ordinary, Parameters Parameter, {
        title: "The value does not match its pattern",
        what: "The schema gives a regular expression for the value and it does not match.",
        mend: "Write the value as the pattern asks.",
        example: "`usd` where `^[A-Z]{3}$` is asked",
    }
    BAD_LENGTH = "call.bad-length", Parameter, Error 0.90, Ordinary, Parameters Parameter, {
        title: "The value is too short or too long",
        what: "A string, list or object has fewer or more parts than the schema allows, or a list repeats an item that must be unique.",
        mend: "Keep to the schema's length.",
        example: "an empty list where `minItems: 1` is asked",
    }
    NO_VARIANT = "call.no-variant", Parameter, Error 0.90, Ordinary, Parameters Parameter, {
        title: "The value fits none of the allowed forms",
        what: "The schema allows several forms (oneOf, anyOf, not …) and the value fits none of them, or too many.",
        mend: "Choose one of the forms and fill it as the schema asks.",
        example: "an object that is neither a point nor an area",
    }
    NULL_OMITTED = "call.null-omitted", Parameter, Warning 0.95, Gentle, Parameters Parameter, {
        title: "Null for an optional argument",
        what: "The model wrote null where it meant to leave the argument out. It counts as omitted. This never refuses a call.",
        mend: "Leave the argument out.",
        example: "`{\"city\": \"Oslo\", \"unit\": null}`",
    }
    EMPTY_KEY = "call.empty-key", Parameter, Warning 0.95, Gentle, Parameters Parameter, {
        title: "An empty key for a tool without parameters",
        what: "Some models write `{\"\": {}}` when a tool takes no arguments. It counts as no arguments.",
        mend: "Send an empty object.",
        example: "`{\"\": {}}`",
    }
    ABSENT_ARGUMENTS = "call.absent-arguments", Parameter, Warning 0.95, Gentle, Parameters Parameter, {
        title: "No arguments at all",
        what: "The call came without arguments: they were missing, null or an empty string. They count as an empty object. This never refuses a call; what is required is still asked for.",
        mend: "Send an empty object where a tool takes no arguments.",
        example: "`\"arguments\": \"\"`",
    }
    MISSING_STEP = "call.missing-step", Repeat, Error 0.95, Ordinary, Parameters Tool, {
        title: "A required step is missing",
        what: "The policy requires another tool to have succeeded before this one, and it has not in this conversation.",
        mend: "Call the required tool first, look at its result, then make this call again.",
        example: "`refund_order` before `get_order` where `[tools.refund_order] requires = [\"get_order\"]`",
    }
    REPEATED_CALL = "call.repeated", Repeat, Info 0.90, Ordinary, Parameters Tool, {
        title: "The same call again",
        what: "The same tool was called with the same arguments before in this conversation. STRICT refuses it while the user has not spoken since.",
        mend: "Use the result that is already there.",
        example: "`search` with the same query twice",
    }
    REPEATED_QUERY = "call.repeated-query", Repeat, Info 0.90, Ordinary, Parameters Tool, {
        title: "The same query again",
        what: "The query equals the previous one, so the answer will too. STRICT refuses it.",
        mend: "Use the earlier result, or ask something else.",
        example: "`query` equal to `context.previous_query`",
    }
    STUCK = "call.stuck", Repeat, Warning 0.90, Ordinary, Parameters Tool, {
        title: "The call is repeated without progress",
        what: "The same call was made for the third time, or its last result was the same as the one before. From the fourth time on it is refused, because the loop costs time and money and leads nowhere.",
        mend: "Change the arguments, use what is already known, or tell the user what is missing.",
        example: "`get_status` four times with the same answer",
    }
}
