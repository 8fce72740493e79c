// How the console is built: fixed file names, so that the committed build differs only where the console does, and nothing
// that a strict Content-Security-Policy would refuse.
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const server = process.env.COUNTERSIGN_URL ?? "http://127.0.0.1:7420";

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  resolve: {
    // Its build for browsers decodes entities with innerHTML, which our policy refuses; the other one has a long table.
    alias: {
      "decode-named-character-reference": fileURLToPath(new URL("src/text/entities.ts", import.meta.url)),
      "react/jsx-runtime": "preact/jsx-runtime",
      "react-dom/client": "preact/compat/client",
      "react-dom": "preact/compat",
      react: "preact/compat",
    },
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    rollupOptions: {
      output: {
        entryFileNames: "console.js",
        chunkFileNames: "[name].js",
        assetFileNames: "[name][extname]",
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ["/v1", "/health", "/livez", "/readyz", "/metrics", "/console/session"].map((path) => [path, { target: server, changeOrigin: true }]),
    ),
  },
});
