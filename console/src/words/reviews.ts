// The words of the screen "reviews".
import { words } from "./words";

export const reviewsWords = words(
  {
    title: "reviews",
  },
  {
    title: "reviews",
  },
);
