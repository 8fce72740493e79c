// What the checks of the line are called, wherever one is shown.
import { hasWord, useWords, words } from "./words";

const checks = words(
  {
    name: "name",
    arguments: "arguments",
    schema: "schema",
    meaning: "meaning",
    danger: "danger",
    permission: "permission",
    action: "action",
    request: "request",
    provenance: "provenance",
    relevance: "relevance",
    trust: "trust",
    facts: "facts",
    steps: "steps",
    repeat: "repeat",
    decision: "decision",
  },
  {
    name: "名称",
    arguments: "参数",
    schema: "结构",
    meaning: "含义",
    danger: "危险",
    permission: "权限",
    action: "操作",
    request: "要求",
    provenance: "来历",
    relevance: "相关性",
    trust: "信任",
    facts: "事实",
    steps: "步骤",
    repeat: "重复",
    decision: "决定",
  },
);

/** Names a check; one that is not known yet keeps the name that the server gives it. */
export function useCheckName(): (check: string) => string {
  const say = useWords(checks);
  return (check) => (hasWord(checks, check) ? say(check) : check);
}
