// The console begins here.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { SettingsProvider } from "./settings";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/frame.css";

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
