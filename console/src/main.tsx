// The console begins here.
import { options } from "preact";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { SettingsProvider } from "./settings";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/frame.css";

// What follows from a key or a click is on the screen before the next one: effects run with their rendering, and not a frame later.
options.requestAnimationFrame = (run) => queueMicrotask(run);

const place = document.getElementById("console");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <SettingsProvider>
        <App />
      </SettingsProvider>
    </StrictMode>,
  );
}
