// Tools for a first look: the page itself stands for the client that runs them.

/** Tools in the OpenAI shape, told in both languages: the demo model chooses by the words of the question. The last two act, so a person is asked before they run. */
export const EXAMPLE_TOOLS = [
  tool("get_weather", "The weather of the next days in a city (查询城市天气)", { city: { type: "string" }, days: { type: "integer", minimum: 1, maximum: 14 } }),
  tool("send_email", "Send an email (发送邮件)", { to: { type: "string", format: "email" }, text: { type: "string" } }),
  tool("delete_file", "Delete a file for good (删除文件)", { path: { type: "string" } }),
];

/** A result to begin with, so that nobody has to invent one. */
export function exampleResult(name: string, given: unknown): string {
  const known = typeof given === "object" && given !== null ? (given as Record<string, unknown>) : {};
  switch (name) {
    case "get_weather":
      return JSON.stringify({ city: known["city"] ?? "Oslo", days: known["days"] ?? 3, temperature_celsius: 12, rain: "20%" }, null, 2);
    case "send_email":
      return JSON.stringify({ sent: true, to: known["to"] ?? "" }, null, 2);
    case "delete_file":
      return JSON.stringify({ deleted: known["path"] ?? "" }, null, 2);
    default:
      return "";
  }
}

function tool(name: string, description: string, properties: Record<string, unknown>) {
  return { type: "function", function: { name, description, parameters: { type: "object", properties, required: Object.keys(properties) } } };
}
