// Countersign: no tool call runs unchecked, no result passes unexamined.
//
//   import { Guard } from "countersign";
//
//   const guard = new Guard({ tools });
//   const verdict = guard.check({ call: { name: "getWeather", arguments: { city: "Oslo" } }, messages });
//   if (verdict.allowed) run(verdict.call.name, verdict.call.arguments);
//
// The engine is the one of the command line and the gateway, as WebAssembly in this process; it does no I/O and needs no server.
export { EngineError, PolicyError, RequestError } from "./engine.js";
export { answer, check, claims, Guard, parse, Parser, Policy, score, step, verify } from "./guard.js";
export type { GuardOptions, ParserEvent, ParserOptions, Request } from "./guard.js";
export { Answer, Assessment, Claims, Reading, Report, Step, Verdict, Verification } from "./reports.js";
export type { Claim, Correction, Finding, Status, ToolCall } from "./contract.js";
