// Sentences of the engine, which set names and values between backticks: shown as code. The text itself may be a model's.
import { Visible } from "./visible";

export function Ticked({ text }: { text: string }) {
  return text.split(TICKED).map((part, at) =>
    at % 2 === 0 ? (
      <Visible key={at} text={part} />
    ) : (
      <code key={at}>
        <Visible text={part} />
      </code>
    ),
  );
}

const TICKED = /`([^`\n]+)`/;
