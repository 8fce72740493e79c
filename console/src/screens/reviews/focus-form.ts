// Puts the cursor into the first argument of the open item.
export function focusForm() {
  document.querySelector<HTMLElement>(".fields :is(input, textarea, select):not([readonly], :disabled)")?.focus();
}
