// Requests to a demo model that always errs in the same way.
import { example, type Example } from "./example";

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Get the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 10 } }, required: ["city"], additionalProperties: false },
  },
};
const remove = {
  type: "function",
  function: {
    name: "delete_booking",
    description: "Delete a booking for good.",
    parameters: { type: "object", properties: { booking_id: { type: "string" } }, required: ["booking_id"], additionalProperties: false },
  },
};
const oslo = "What is the weather in Oslo for the next 3 days?";
const 北京 = "北京的天气怎么样？";

export const GATEWAY: readonly Example[] = [
  example("en", "Left out, asked again, right", "Your program asks for the weather. The model forgets the city. It is told so, and you never notice.", { message: oslo, model: "demo-missing", tools: [weather] }),
  example("en", "Mended on the way", "The model misspells the tool’s name.", { message: oslo, model: "demo-name", tools: [weather] }),
  example("en", "One good call, one forbidden", "Two calls at once; this user may only look.", { message: oslo, model: "demo-parallel", tools: [weather, remove], caller: { user: { role: "viewer" } } }),
  example("en", "A call written into the text", "The model writes its call where no client looks for it.", { message: oslo, model: "demo-text-call", tools: [weather] }),
  example("en", "It never gets it right", "The same mistake again and again ends in clear words, not in a crash.", { message: oslo, model: "demo-stubborn", tools: [weather] }),
  example("en", "An answer full of figures", "No tools here: the answer’s claims are marked instead.", { message: "How did the market do?", model: "demo-claims" }),
  example("zh", "漏了，重问，改对了", "您的程序询问天气，模型漏了城市。Countersign 告诉它，而您的程序毫无察觉。", { message: 北京, model: "demo-missing", tools: [weather] }),
  example("zh", "途中修好", "模型把工具名拼错了。", { message: 北京, model: "demo-name", tools: [weather] }),
  example("zh", "一个放行，一个禁止", "同时两个调用；这个用户只有查看权限。", { message: 北京, model: "demo-parallel", tools: [weather, remove], caller: { user: { role: "viewer" } } }),
  example("zh", "满是数字的回答", "这里没有工具：回答中的声明会被标记。", { message: "今年市场怎么样？", model: "demo-claims" }),
];
