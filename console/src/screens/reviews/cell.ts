// A value outside of the components that show it: what waits to be sent, or what was typed, must outlive a change of screen.
import { useSyncExternalStore } from "react";

export class Cell<Value> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: Value) {}

  readonly get = (): Value => this.value;

  set(value: Value) {
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  }

  change(how: (before: Value) => Value) {
    this.set(how(this.value));
  }

  readonly listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function useCell<Value>(cell: Cell<Value>): Value {
  return useSyncExternalStore(cell.listen, cell.get);
}
