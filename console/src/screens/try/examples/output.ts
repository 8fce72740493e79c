// Output that no ordinary parser reads.
import { example, tool, type Example } from "./example";

const weather = [tool("get_weather", "Weather forecast for a city.", { city: { type: "string" }, days: { type: "integer" } }, ["city"])];
const 天气 = [tool("get_weather", "查询城市天气。", { city: { type: "string" }, days: { type: "integer" } }, ["city"])];
const person = { type: "object", properties: { name: { type: "string" }, age: { type: "integer" }, languages: { type: "array", items: { type: "string" } } }, required: ["name", "age"] };
const 商品 = { type: "object", properties: { 名称: { type: "string" }, 价格: { type: "number" }, 标签: { type: "array", items: { type: "string" } } }, required: ["名称", "价格"] };

export const OUTPUT: readonly Example[] = [
  example("en", "A misspelt tag, never closed", "The model writes its call as tags into the text, misspells one, and forgets to close them.", {
    input: "Let me look that up.\n<functon=get_weather>\n<parameter=city>Oslo</parameter>\n<parameter=days>3",
    tools: weather,
  }),
  example("en", "Half-open JSON", "Comments, single quotes, a comma too many, and the end is missing.", {
    input: "Sure! Here is the profile:\n```json\n{name: 'Zoe', // the new colleague\n \"age\": \"31\", \"languages\": [\"de\", \"en\",",
    protocol: "json",
    schema: person,
  }),
  example("en", "A call written into the text", "The client looks for calls in a field of the answer; the model wrote one into its sentence.", {
    input: 'I will check the forecast first.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3,}}\n</tool_call>',
    tools: weather,
  }),
  example("en", "Only talking about it", "This tag is mentioned, not used. Nothing may be called here.", {
    input: "Write `<tool_call>` in front of the call and `</tool_call>` behind it.",
    tools: weather,
  }),
  example("zh", "标签写错、没有闭合", "模型把调用写成标签放进正文，拼错了一个，也忘了闭合。", {
    input: "我来查一下。\n<functon=get_weather>\n<parameter=city>北京</parameter>\n<parameter=days>3",
    tools: 天气,
  }),
  example("zh", "只写了一半的 JSON", "全角标点、单引号、多余的逗号，而且没有写完。", {
    input: "好的，商品信息如下：\n```json\n{名称: '手冲壶'， \"价格\"： \"128\", \"标签\": [\"咖啡\", \"厨房\",",
    protocol: "json",
    schema: 商品,
  }),
  example("zh", "写进正文的调用", "客户端在专门的字段里找调用，模型却把它写进了句子里。", {
    input: '我先查一下天气预报。\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "北京", "days": 3,}}\n</tool_call>',
    tools: 天气,
  }),
];
