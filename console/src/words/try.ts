// The words of the screen "try".
import { words } from "./words";

export const tryWords = words(
  {
    title: "try",
  },
  {
    title: "try",
  },
);
