// Model text is hostile: what does not show by itself (control characters, marks that turn the direction of writing, characters
// without width) is shown by its code instead of being obeyed. React escapes the rest.
import { memo } from "react";
import { shell } from "../words/shell";
import { useWords } from "../words/words";

/** Text as it is, with nothing hidden in it. */
export const Visible = memo(function Visible({ text }: { text: string }) {
  const say = useWords(shell);
  if (!HIDDEN.test(text)) return text;
  return text.split(SPLIT).map((part, at) => {
    if (at % 2 === 0) return part;
    const code = codeOf(part);
    return (
      <span key={at} className="hidden-character" title={say("hidden", { code, name: NAMES[code] ?? "control" })}>
        {code}
      </span>
    );
  });
});

/** The same for places that take a string only: attributes, titles. */
export function visible(text: string): string {
  return text.replace(ALL, (character) => `⟨${codeOf(character)}⟩`);
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

// Tabs and line breaks are layout. A joiner inside a picture of several signs, and the selector of its colours, belong to the sign.
// What has no look of its own is asked of Unicode and not listed: a list would leave room for what it forgets.
const CLASS =
  "(?![\\t\\n])\\p{Cc}|\\p{Bidi_Control}|[\\u2028\\u2029\\uFFF9-\\uFFFB]" +
  "|(?![\\u200D\\uFE0E\\uFE0F])\\p{Default_Ignorable_Code_Point}" +
  "|(?<!\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?)\\u200D" +
  "|(?<![\\p{Extended_Pictographic}\\d#*])[\\uFE0E\\uFE0F]";
const HIDDEN = new RegExp(CLASS, "u");
const SPLIT = new RegExp(`(${CLASS})`, "u");
const ALL = new RegExp(CLASS, "gu");

const NAMES: Record<string, string> = {
  "U+0000": "NUL",
  "U+001B": "ESCAPE",
  "U+00AD": "SOFT HYPHEN",
  "U+200B": "ZERO WIDTH SPACE",
  "U+200C": "ZERO WIDTH NON-JOINER",
  "U+200D": "ZERO WIDTH JOINER",
  "U+200E": "LEFT-TO-RIGHT MARK",
  "U+200F": "RIGHT-TO-LEFT MARK",
  "U+202A": "LEFT-TO-RIGHT EMBEDDING",
  "U+202B": "RIGHT-TO-LEFT EMBEDDING",
  "U+202C": "POP DIRECTIONAL FORMATTING",
  "U+202D": "LEFT-TO-RIGHT OVERRIDE",
  "U+202E": "RIGHT-TO-LEFT OVERRIDE",
  "U+2060": "WORD JOINER",
  "U+2066": "LEFT-TO-RIGHT ISOLATE",
  "U+2067": "RIGHT-TO-LEFT ISOLATE",
  "U+2068": "FIRST STRONG ISOLATE",
  "U+2069": "POP DIRECTIONAL ISOLATE",
  "U+FEFF": "BYTE ORDER MARK",
};
