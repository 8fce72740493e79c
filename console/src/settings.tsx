// What a person has chosen for this browser: language, light or dark, and the name that is under their decisions.
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from "react";

export type Language = "en" | "zh";
export type Theme = "system" | "light" | "dark";

export interface Settings {
  language: Language;
  theme: Theme;
  reviewer: string;
  change: (some: Partial<Pick<Settings, "language" | "theme" | "reviewer">>) => void;
}

const SettingsContext = createContext<Settings | null>(null);

export function useSettings(): Settings {
  const settings = useContext(SettingsContext);
  if (!settings) throw new Error("settings are used outside of their provider");
  return settings;
}

export function SettingsProvider({ children }: { children: ReactNode }) {
  const [kept, setKept] = useState(read);
  const change = useCallback((some: Partial<Kept>) => {
    setKept((before) => {
      const after = { ...before, ...some };
      write(after);
      return after;
    });
  }, []);
  useEffect(() => {
    document.documentElement.lang = kept.language === "zh" ? "zh-CN" : "en";
    if (kept.theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = kept.theme;
  }, [kept.language, kept.theme]);
  const settings = useMemo(() => ({ ...kept, change }), [kept, change]);
  return <SettingsContext value={settings}>{children}</SettingsContext>;
}

/** Whether the page is dark now, whatever the reason. */
export function useDark(): boolean {
  const { theme } = useSettings();
  const [dark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const listen = () => setDark(query.matches);
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  }, []);
  return theme === "system" ? dark : theme === "dark";
}

type Kept = Pick<Settings, "language" | "theme" | "reviewer">;

function read(): Kept {
  const usual: Kept = { language: navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en", theme: "system", reviewer: "" };
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
    if (typeof kept !== "object" || kept === null) return usual;
    const { language, theme, reviewer } = kept as Partial<Kept>;
    return {
      language: language === "en" || language === "zh" ? language : usual.language,
      theme: theme === "light" || theme === "dark" ? theme : "system",
      reviewer: typeof reviewer === "string" ? reviewer.slice(0, 80) : "",
    };
  } catch {
    // A browser that keeps nothing gets what is usual.
    return usual;
  }
}

function write(kept: Kept) {
  try {
    localStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // The choice holds as long as the page is open.
  }
}

const PLACE = "countersign.console";
const DARK = "(prefers-color-scheme: dark)";
