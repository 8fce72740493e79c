// Calls that are nearly right: a name, a type, a key, a value.
import { asked, example, tool, type Example } from "./example";

const en = [
  tool("get_weather", "Weather forecast for a city.", { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 10 }, unit: { type: "string", enum: ["celsius", "fahrenheit"] } }, ["city"], { additionalProperties: false }),
  tool("book_table", "Book a table in a restaurant.", { restaurant: { type: "string" }, guests: { type: "integer", minimum: 1 }, date: { type: "string", format: "date" }, area: { type: "string", enum: ["inside", "terrace"] } }, ["restaurant", "guests", "date"], { additionalProperties: false }),
];

const zh = [
  tool("查询天气", "查询某个城市的天气预报。", { 城市: { type: "string" }, 天数: { type: "integer", minimum: 1, maximum: 10 } }, ["城市"], { additionalProperties: false }),
  tool("book_table", "预订餐厅座位。", { restaurant: { type: "string" }, guests: { type: "integer", minimum: 1 }, date: { type: "string", format: "date" } }, ["restaurant", "guests", "date"], { additionalProperties: false }),
];

export const CALL: readonly Example[] = [
  example("en", "Wrong name, wrong type", "The user wants three days of weather in Oslo. The model misspells the tool and puts the number in quotes.", {
    call: { name: "get_wether", arguments: { city: "Oslo", days: "3" } },
    tools: en,
    messages: asked("What is the weather in Oslo for the next 3 days?"),
  }),
  example("en", "A key and a value misspelt", "The argument is called `restaurant`, and the area is written small. The model writes both otherwise.", {
    call: { name: "book_table", arguments: { restaurnat: "Da Enzo", guests: 4, date: "2026-12-24", area: "Terrace" } },
    tools: en,
    messages: asked("A table for four at Da Enzo on 2026-12-24, on the terrace."),
  }),
  example("en", "Something required is missing", "A booking needs a date. The model leaves it out; nobody may guess it.", {
    call: { name: "book_table", arguments: { restaurant: "Da Enzo", guests: 4 } },
    tools: en,
    messages: asked("A table for four at Da Enzo, please."),
  }),
  example("en", "A tool that does not exist", "No tool sends mail here. The model calls one all the same.", {
    call: { name: "send_newsletter", arguments: { to: "everybody" } },
    tools: en,
    messages: asked("Tell everybody about the weather in Oslo."),
  }),
  example("en", "A good call", "Nothing is wrong here, and nothing gets in its way.", {
    call: { name: "get_weather", arguments: { city: "Oslo", days: 3 } },
    tools: en,
    messages: asked("What is the weather in Oslo for the next 3 days?"),
  }),
  example("zh", "名称写错，类型写错", "工具叫 book_table，模型写成了 book_tabel，人数也放进了引号。", {
    call: { name: "book_tabel", arguments: { restaurant: "全聚德", guests: "4", date: "2026-12-24" } },
    tools: zh,
    messages: asked("请在全聚德订 2026-12-24 的四人桌。"),
  }),
  example("zh", "数字写成了文字", "用户想查北京三天的天气。模型把数字放进了引号。", {
    call: { name: "查询天气", arguments: { 城市: "北京", 天数: "3" } },
    tools: zh,
    messages: asked("北京未来3天的天气怎么样？"),
  }),
  example("zh", "缺少必填参数", "订座必须有日期。模型漏掉了，而谁也不该替用户猜。", {
    call: { name: "book_table", arguments: { restaurant: "全聚德", guests: 4 } },
    tools: zh,
    messages: asked("请在全聚德订一张四人桌。"),
  }),
];
