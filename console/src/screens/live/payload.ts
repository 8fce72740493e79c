// Fields of payloads, read with care: the page goes on whatever an event holds.
import { isObject } from "../../parts/changes";
import type { ToolCall } from "../../contract";

export type Fields = Record<string, unknown>;

export function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : (JSON.stringify(value) ?? "");
}

export function textOrNull(value: unknown): string | null {
  const read = text(value);
  return read === "" ? null : read;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function call(value: unknown): ToolCall | null {
  return isObject(value) && typeof value["name"] === "string" ? (value as unknown as ToolCall) : null;
}
