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
const CLASS =
  "[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B\\u200C\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{E0000}-\\u{E0FFF}]|(?<!\\p{Extended_Pictographic}\\uFE0F?\\p{Emoji_Modifier}?)\\u200D";
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
