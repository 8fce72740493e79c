// The words of the screen "verdicts".
import { words } from "./words";

export const verdictsWords = words(
  {
    title: "verdicts",
  },
  {
    title: "verdicts",
  },
);
