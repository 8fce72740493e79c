// The words of the screen "overview".
import { words } from "./words";

export const overviewWords = words(
  {
    title: "overview",
  },
  {
    title: "overview",
  },
);
