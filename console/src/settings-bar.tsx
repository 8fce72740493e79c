// Language and colours.
import { useSettings, type Language, type Theme } from "./settings";
import { shell } from "./words/shell";
import { useWords } from "./words/words";

export function SettingsBar() {
  const say = useWords(shell);
  const { language, theme, change } = useSettings();
  return (
    <div className="settings-bar">
      <label>
        <span>{say("language")}</span>
        <select value={language} onChange={(event) => change({ language: event.target.value as Language })}>
          <option value="en" lang="en">
            English
          </option>
          <option value="zh" lang="zh-CN">
            中文
          </option>
        </select>
      </label>
      <label>
        <span>{say("theme")}</span>
        <select value={theme} onChange={(event) => change({ theme: event.target.value as Theme })}>
          <option value="system">{say("system")}</option>
          <option value="light">{say("light")}</option>
          <option value="dark">{say("dark")}</option>
        </select>
      </label>
    </div>
  );
}
