// The words of the screen "live".
import { words } from "./words";

export const liveWords = words(
  {
    title: "live",
  },
  {
    title: "live",
  },
);
