//! Codes of what values mean beyond their schema.

codes! {
    BAD_URL = "meaning.bad-url", Meaning, Error 0.90, Ordinary, Parameters Parameter, {
        title: "Not a usable URL",
        what: "The argument is a URL by its schema, name or description, and the value cannot be one.",
        mend: "Send a whole URL with scheme and host.",
        example: "`htp:/example` for `url`",
    }
    BAD_EMAIL = "meaning.bad-email", Meaning, Error 0.90, Ordinary, Parameters Parameter, {
        title: "Not a usable e-mail address",
        what: "The argument is an e-mail address by its schema, name or description, and the value cannot be one.",
        mend: "Send one address such as `ann@example.com`.",
        example: "`ann at example` for `email`",
    }
    BAD_DATE = "meaning.bad-date", Meaning, Error 0.90, Ordinary, Parameters Parameter, {
        title: "Not a possible date or time",
        what: "The value looks like a date or time and cannot exist, or is not one where one is due.",
        mend: "Send a date that exists, in the form that the tool asks for.",
        example: "`2026-02-30`",
    }
    BAD_ADDRESS = "meaning.bad-address", Meaning, Error 0.90, Ordinary, Parameters Parameter, {
        title: "Not a usable IP address",
        what: "The argument is an IP address and the value cannot be one.",
        mend: "Send an IPv4 or IPv6 address.",
        example: "`300.1.1.1`",
    }
    BAD_UUID = "meaning.bad-uuid", Meaning, Error 0.90, Ordinary, Parameters Parameter, {
        title: "Not a UUID",
        what: "The argument is a UUID and the value is not one.",
        mend: "Copy the UUID from where it was given.",
        example: "`1234` for a `uuid`",
    }
    BAD_PATH = "meaning.bad-path", Meaning, Error 0.80, Ordinary, Parameters Parameter, {
        title: "Not a usable path",
        what: "The argument is a path and the value holds what no path can hold.",
        mend: "Send the path as the system writes it.",
        example: "a path with a NUL byte",
    }
    INEXACT = "meaning.inexact", Meaning, Error 0.95, Ordinary, Parameters Parameter, {
        title: "The number is too large to be kept exactly",
        what: "A whole number beyond 64 bits is rounded by almost every JSON reader, ours and the tool's. An id or an account would silently become another one.",
        mend: "Send the number as a string, if the tool takes one.",
        example: "`order_id: 123456789012345678901234567890`",
    }
    OUT_OF_BOUNDS = "meaning.out-of-bounds", Meaning, Error 0.80, Ordinary, Parameters Parameter, {
        title: "The number is implausible",
        what: "By its name, its description or the policy the number has bounds, and it lies outside of them. A result size is clamped; nothing else is.",
        mend: "Use a number within the bounds.",
        example: "`limit: 5000`, `latitude: 120`",
    }
    BROKEN_ORDER = "meaning.broken-order", Meaning, Error 0.85, Ordinary, Parameters Parameter, {
        title: "The pair is in the wrong order",
        what: "Two arguments form a pair (start and end, minimum and maximum) and the first lies after the second.",
        mend: "Swap them, or correct one.",
        example: "`start: 2026-05-02, end: 2026-05-01`",
    }
    AGAINST_DESCRIPTION = "meaning.against-description", Meaning, Error 0.80, Ordinary, Parameters Parameter, {
        title: "The value breaks what the description asks for",
        what: "The parameter's description states a range, a format or the allowed values in words, and the value does not keep to it.",
        mend: "Read the description and send what it asks for.",
        example: "`March 3rd` where the description says `YYYY-MM-DD`",
    }
    NOT_ASKED = "meaning.not-asked", Meaning, Warning 0.85, Ordinary, Parameters Tool, {
        title: "The user did not ask for this deed",
        what: "The user said not to do it, only asked about it, made it depend on something that is not known yet, or wants to do it themselves.",
        mend: "Do what was asked instead, or ask the user first.",
        example: "`cancel_order` where the user said \"don't cancel it, just tell me its status\"",
    }
    OPPOSITE = "meaning.opposite", Meaning, Warning 0.85, Ordinary, Parameters Tool, {
        title: "The call does the opposite of what was asked",
        what: "The tool, or a value that chooses what it does, has the opposite effect of what the user said.",
        mend: "Call the tool, or choose the value, that does what was said.",
        example: "`turn_on` where the user said \"turn off the oven\"",
    }
    SCOPE = "meaning.scope", Meaning, Warning 0.85, Ordinary, Parameters Tool, {
        title: "The call does more than was asked",
        what: "The call touches everything, or many things, where the user spoke of one.",
        mend: "Narrow the call to what was named.",
        example: "`cancel_all_events` where the user said \"delete the 3 pm meeting\"",
    }
    OTHER_DEED = "meaning.other-deed", Meaning, Warning 0.75, Ordinary, Parameters Tool, {
        title: "The user asked for another deed",
        what: "The user only wants to know something and the tool changes something, or the words of the user plainly name another registered tool.",
        mend: "Call the tool that does what was said.",
        example: "`cancel_order` where the user asked \"where is my order?\"",
    }
}
