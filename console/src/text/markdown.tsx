// Markdown of a model, as elements: no HTML of its own ever reaches the page, no picture is fetched, and a link says where it leads.
// Claims are counted in the source, so every piece of text knows where it stood there.
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
import type { Nodes, Root, RootContent, Text } from "mdast";
import { memo, type ReactNode } from "react";
import type { Claim } from "../contract";
import { shell } from "../words/shell";
import { useWords } from "../words/words";
import { Claimed, type Place } from "./claimed";
import { Visible, visible } from "./visible";

/** A model's Markdown with its claims marked. */
export const Markdown = memo(function Markdown({ source, claims = NONE }: { source: string; claims?: readonly Claim[] }) {
  const root = parse(source);
  return <div className="markdown">{root ? children(root.children, { source, claims }) : <Plain text={source} claims={claims} />}</div>;
});

/** Text that is no Markdown, with its line breaks and claims. */
export function Plain({ text, claims = NONE }: { text: string; claims?: readonly Claim[] }) {
  return (
    <p className="plain">
      <Claimed text={text} claims={claims} />
    </p>
  );
}

interface Setting {
  source: string;
  claims: readonly Claim[];
}

function parse(source: string): Root | null {
  // Very long texts are not worth the reader's patience as Markdown, and what is nested without end would take the page with it.
  if (source.length > LONGEST || NESTED.test(source)) return null;
  try {
    const root = fromMarkdown(source, { extensions: EXTENSIONS, mdastExtensions: TREE_EXTENSIONS });
    return isDeep(root) ? null : root;
  } catch {
    return null;
  }
}

function isDeep(root: Root): boolean {
  let level: Nodes[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((node) => ("children" in node ? node.children : []));
  }
  return false;
}

function children(nodes: readonly RootContent[], setting: Setting): ReactNode {
  return nodes.map((node, at) => <Node key={at} node={node} setting={setting} />);
}

function Node({ node, setting }: { node: RootContent; setting: Setting }): ReactNode {
  const inner = "children" in node ? children(node.children as RootContent[], setting) : null;
  switch (node.type) {
    case "text":
      return <Claimed text={node.value} claims={within(node, setting)} place={places(node, setting.source)} />;
    case "paragraph":
      return <p>{inner}</p>;
    case "heading":
      // Headings of a message are not headings of the page.
      return <p className={`heading heading-${node.depth}`}>{inner}</p>;
    case "strong":
      return <strong>{inner}</strong>;
    case "emphasis":
      return <em>{inner}</em>;
    case "delete":
      return <del>{inner}</del>;
    case "blockquote":
      return <blockquote>{inner}</blockquote>;
    case "list":
      return node.ordered ? <ol start={node.start ?? 1}>{inner}</ol> : <ul>{inner}</ul>;
    case "listItem":
      return (
        <li>
          {typeof node.checked === "boolean" && <span aria-hidden="true">{node.checked ? "☑ " : "☐ "}</span>}
          {inner}
        </li>
      );
    case "break":
      return <br />;
    case "thematicBreak":
      return <hr />;
    case "inlineCode":
      return (
        <code>
          <Visible text={node.value} />
        </code>
      );
    case "code":
      return (
        <pre tabIndex={0}>
          <code>
            <Visible text={node.value} />
          </code>
        </pre>
      );
    case "link":
      return (
        <Link url={node.url} text={textOf(node)}>
          {inner}
        </Link>
      );
    case "image":
      return <Image alt={node.alt ?? node.url} />;
    case "table":
      return (
        <div className="wide">
          <table>
            <tbody>{inner}</tbody>
          </table>
        </div>
      );
    case "tableRow":
      return <tr>{inner}</tr>;
    case "tableCell":
      return <td>{inner}</td>;
    default:
      return inner ?? <Source node={node} setting={setting} />;
  }
}

/** What has no element of ours, HTML above all, is shown as it was written. */
function Source({ node, setting }: { node: Nodes; setting: Setting }) {
  const from = node.position?.start.offset ?? 0;
  const text = setting.source.slice(from, node.position?.end.offset ?? from);
  return <Claimed text={text} claims={within(node, setting)} place={(at) => from + at} />;
}

function Link({ url, text, children }: { url: string; text: string; children: ReactNode }) {
  // A link that is not made is shown with its address: it may be all that the text is about.
  if (!SAFE.test(url))
    return (
      <>
        {children}{" "}
        <span className="quiet">
          (<Visible text={url} />)
        </span>
      </>
    );
  // The words of a link may name another place than the one it leads to.
  const target = targetOf(url);
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer nofollow" title={visible(url)}>
        {children}
      </a>
      {text.trim() !== target && targetOf(text.trim()) !== target && (
        <span className="quiet">
          {" "}
          (<Visible text={target} />)
        </span>
      )}
    </>
  );
}

/** Where an address leads: its host, or whom a mail goes to. */
function targetOf(address: string): string {
  if (!SAFE.test(address) || !URL.canParse(address)) return "";
  const { host, pathname } = new URL(address);
  return host || pathname;
}

function textOf(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

function Image({ alt }: { alt: string }) {
  const say = useWords(shell);
  return (
    <span className="quiet">
      [<Visible text={say("image", { alt })} />]
    </span>
  );
}

/** The claims that touch a node. */
function within(node: Nodes, { claims }: Setting): readonly Claim[] {
  if (claims.length === 0) return claims;
  const from = node.position?.start.offset ?? 0;
  const to = node.position?.end.offset ?? 0;
  const touching = claims.filter((claim) => claim.utf16_start < to && claim.utf16_end > from);
  return touching.length === 0 ? NONE : touching;
}

/** Where the characters of a text node stood in the source: escapes and entities are longer there than here. */
function places(node: Text, source: string): Place {
  const from = node.position?.start.offset ?? 0;
  const to = node.position?.end.offset ?? from;
  if (to - from === node.value.length) return (at) => from + at;
  const places: number[] = [];
  let at = from;
  for (const character of node.value.split("")) {
    const entity = source[at] === "&" ? ENTITY.exec(source.slice(at, at + 40)) : null;
    if (entity && character !== "&") {
      places.push(at);
      at += entity[0].length;
      continue;
    }
    while (at < to && source[at] !== character) at += 1;
    places.push(at);
    at += entity ? entity[0].length : 1;
  }
  return (index) => places[index] ?? to;
}

/** Tables, strikethrough and tasks, as models write them; the rest of the dialect is left out for its weight. */
const EXTENSIONS = [gfmTable(), gfmStrikethrough(), gfmTaskListItem()];
const TREE_EXTENSIONS = [gfmTableFromMarkdown(), gfmStrikethroughFromMarkdown(), gfmTaskListItemFromMarkdown()];
const NONE: readonly Claim[] = [];
const LONGEST = 200_000;
const DEEPEST = 100;
/** A line that begins with more quotes and lists than anybody writes. */
const NESTED = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){50}/m;
const SAFE = /^(https?:\/\/|mailto:)/i;
const ENTITY = /^&(?:#\d+|#x[\da-f]+|\w+);/i;
