// The words on the screen, in English and Chinese. Each screen has its own list; both languages have the same keys, which the
// compiler checks.
import { useSettings, type Language } from "../settings";

/** A list of words: every key in both languages. `{name}` stands for a value. */
export interface Words<Key extends string> {
  en: Record<Key, string>;
  zh: Record<Key, string>;
}

export type Say<Key extends string> = (key: Key, values?: Record<string, string | number>) => string;

export function words<Key extends string>(en: Record<Key, string>, zh: Record<Key, string>): Words<Key> {
  return { en, zh };
}

/** Says a word of a list in the language of the page. */
export function useWords<Key extends string>(list: Words<Key>): Say<Key> {
  const { language } = useSettings();
  return (key, values) => say(list, language, key, values);
}

/** Whether a list has a word: the server may name what this page does not know yet. */
export function hasWord<Key extends string>(list: Words<Key>, key: string): key is Key {
  return Object.hasOwn(list.en, key);
}

export function say<Key extends string>(list: Words<Key>, language: Language, key: Key, values?: Record<string, string | number>): string {
  return list[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values?.[name] ?? whole));
}
