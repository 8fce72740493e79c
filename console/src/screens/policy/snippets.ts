// Changes of a policy to try: each is put into the text that is there, so that the rest of the policy stays what it is. Pure.

export type Snippet = "strict" | "viewers" | "shadow";

export const SNIPPETS: Snippet[] = ["strict", "viewers", "shadow"];

/** The policy's text with a snippet put in. `tool` is one that stored calls use. */
export function withSnippet(policy: string, snippet: Snippet, tool: string): string {
  switch (snippet) {
    case "strict":
      return atTop(policy, "level", '"strict"');
    case "viewers":
      return appended(policy, rule(tool));
    case "shadow":
      return inTable(policy, "checks", "schema", '"shadow"');
  }
}

function rule(tool: string): string {
  return `[[rules]]
name = "not-for-viewers"
tools = [${JSON.stringify(tool)}]
when = 'user.role == "viewer"'
effect = "deny"
reason = "a viewer may not use this tool"
`;
}

/** Sets a key that is before all tables. */
function atTop(policy: string, key: string, value: string): string {
  const lines = policy.split("\n");
  const end = headOf(lines, 0);
  return set(lines, 0, end, key, value).join("\n");
}

/** Sets a key of a table, and makes the table where there is none. */
function inTable(policy: string, table: string, key: string, value: string): string {
  const lines = policy.split("\n");
  const head = lines.findIndex((line) => line.trim().split("#")[0]?.trim() === `[${table}]`);
  if (head < 0) return appended(policy, `[${table}]\n${key} = ${value}\n`);
  return set(lines, head + 1, headOf(lines, head + 1), key, value).join("\n");
}

/** Sets a key between two lines: where it is already, else as the first. */
function set(lines: string[], from: number, to: number, key: string, value: string): string[] {
  const at = lines.findIndex((line, index) => index >= from && index < to && new RegExp(`^\\s*${key}\\s*=`).test(line));
  const line = `${key} = ${value}`;
  return at < 0 ? lines.toSpliced(from, 0, line) : lines.toSpliced(at, 1, line);
}

function headOf(lines: string[], from: number): number {
  const at = lines.findIndex((line, index) => index >= from && /^\s*\[/.test(line));
  return at < 0 ? lines.length : at;
}

function appended(policy: string, block: string): string {
  return policy.trim() === "" ? block : `${policy.trimEnd()}\n\n${block}`;
}
