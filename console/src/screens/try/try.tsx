// The screen "Try it": a tour of the product in eight stops, each of them a workbench for one's own calls, outputs and texts.
import { useEffect } from "react";
import { useRoute } from "../../route";
import { Front } from "./front";
import { Head } from "./head";
import { Stepper } from "./stepper";
import { Stop } from "./stop";
import { isTopic } from "./topics";
import "./try.css";

export default function Try() {
  const { item } = useRoute();
  const topic = isTopic(item) ? item : null;
  const open = topic ?? "call";
  useEffect(() => {
    scrollTo({ top: 0 });
    // The link to the next stop is gone with its stop: the keyboard goes on from the new one's heading.
    if (document.activeElement === document.body) document.getElementById("try-stop-title")?.focus({ preventScroll: true });
  }, [topic]);
  return (
    <div className="try">
      {topic === null && <Head />}
      <Stepper open={open} landing={topic === null} />
      <Stop key={open} topic={open} />
      <Front key={`front-${open === "gateway"}`} open={open === "gateway"} />
    </div>
  );
}
