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
    OTHER_UNIT = "meaning.other-unit", Meaning, Warning 0.90, Ordinary, Parameters Parameter, {
        title: "The number is in another unit",
        what: "The user gave a number with a unit, the parameter asks for another unit, and the digits were sent unconverted.",
        mend: "Convert the number into the unit that the parameter asks for.",
        example: "\"10 minutes\" and `seconds: 10`",
    }
    OTHER_VALUE = "meaning.other-value", Meaning, Warning 0.85, Ordinary, Parameters Parameter, {
        title: "Another number than was said",
        what: "Nothing in the conversation gives this number, and a number of its kind was said that no argument carries.",
        mend: "Send the number that was said.",
        example: "\"refund 30 euros of order A-2207\" and `amount: 2207`",
    }
    OTHER_CURRENCY = "meaning.other-currency", Meaning, Warning 0.90, Ordinary, Parameters Parameter, {
        title: "Another currency than was spoken of",
        what: "The user, or else the record or the operator, spoke of a currency, and the call has another.",
        mend: "Send the currency that was spoken of.",
        example: "\"45 francs\" and `currency: EUR`",
    }
    OTHER_DATE = "meaning.other-date", Meaning, Warning 0.85, Ordinary, Parameters Parameter, {
        title: "Another date or time than was said",
        what: "The user gave a date or a time, counted from the day on which it was said, and the call has another one that nothing explains.",
        mend: "Count the date again, and mind the time zone.",
        example: "\"tomorrow\" on 16 November 2026 and `start: 2025-11-17`",
    }
    SWAPPED = "meaning.swapped", Meaning, Warning 0.90, Ordinary, Parameters Parameter, {
        title: "Two values are exchanged",
        what: "By the words of the conversation each of two arguments has the other's value, or the old value stands where the new one is due.",
        mend: "Exchange the two values.",
        example: "\"from Berlin to Lisbon\" and `origin: Lisbon, destination: Berlin`",
    }
    OTHER_RECORD = "meaning.other-record", Meaning, Warning 0.85, Ordinary, Parameters Parameter, {
        title: "The neighbour's record",
        what: "The id belongs to a record that the user's words do not name, and a record beside it is named by them.",
        mend: "Take the id from the record that was named.",
        example: "\"cancel the dentist\" and the id of the stand-up meeting",
    }
    MISCOPIED = "meaning.miscopied", Meaning, Warning 0.90, Ordinary, Parameters Parameter, {
        title: "Nearly what was said",
        what: "An id, an address or a long number is nowhere in the conversation, and one that the user said differs from it by a sign or two.",
        mend: "Copy the value exactly.",
        example: "`A-2087` for `A-20877`",
    }
    EXCLUDED = "meaning.excluded", Meaning, Warning 0.90, Ordinary, Parameters Parameter, {
        title: "What the user excluded",
        what: "The value is one that the user named only to take it out.",
        mend: "Send what was asked for instead.",
        example: "\"to hr@…, not to team@…\" and `to: team@…`",
    }
    SUPERSEDED = "meaning.superseded", Meaning, Warning 0.90, Ordinary, Parameters Parameter, {
        title: "A value that the user took back",
        what: "A later message of the user replaced the value, and the call still has the one from before.",
        mend: "Use the user's last word.",
        example: "\"no, make it Tuesday\" and Monday's date",
    }
    OTHER_CHOICE = "meaning.other-choice", Meaning, Warning 0.85, Ordinary, Parameters Parameter, {
        title: "Another choice than was named",
        what: "The user's words name one of the values that the parameter may have, and the call has another one.",
        mend: "Choose what was named.",
        example: "\"flip on the short edge\" and `sides: duplex_long_edge`",
    }
    LEFT_OUT = "meaning.left-out", Meaning, Warning 0.80, Ordinary, Parameters Parameter, {
        title: "Something that was asked for is missing",
        what: "The user listed several things of one kind, and the call has the others and not this one.",
        mend: "Add what was left out.",
        example: "three addresses were named and the list has two",
    }
    EXTRA = "meaning.extra", Meaning, Warning 0.85, Ordinary, Parameters Parameter, {
        title: "More than was asked for",
        what: "The user limited who or what the call is about, and the call goes beyond it.",
        mend: "Leave out what was not asked for.",
        example: "\"to pm@…, nobody else\" and a second address in `cc`",
    }
    AGAINST_WISH = "meaning.against-wish", Meaning, Warning 0.80, Ordinary, Parameters Parameter, {
        title: "Against a wish of before",
        what: "The user said in an earlier turn what they want or how much they want to spend, never took it back, and the call goes against it.",
        mend: "Keep to the wish, or ask the user.",
        example: "\"at most 5 euros\" and `max_price: 15`",
    }
    OTHER_CONTENT = "meaning.other-content", Meaning, Warning 0.85, Ordinary, Parameters Parameter, {
        title: "The text says something else",
        what: "A text that the model wrote gives another number, time, day or language than the user did, and leaves out the user's.",
        mend: "Write what the user said.",
        example: "\"Wednesday at 10\" and a mail that says \"Wednesday at 11\"",
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
