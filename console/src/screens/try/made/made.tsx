// The two columns that follow what the model did, whatever it was.
import type { Answer } from "../engine";
import { AnswerGets, AnswerMade } from "./answer-made";
import { CallGets, CallMade } from "./call-made";
import { ClaimsGets, ClaimsMade } from "./claims-made";
import { GatewayGets, GatewayMade } from "./gateway-made";
import { OutputGets, OutputMade } from "./output-made";
import { ResultGets, ResultMade } from "./result-made";

/** What Countersign made of it. */
export function MadeOf({ answer }: { answer: Answer }) {
  switch (answer.of) {
    case "call":
      return <CallMade answer={answer} />;
    case "output":
      return <OutputMade answer={answer} />;
    case "claims":
      return <ClaimsMade answer={answer} />;
    case "answer":
      return <AnswerMade answer={answer} />;
    case "result":
      return <ResultMade answer={answer} />;
    case "gateway":
      return <GatewayMade answer={answer} />;
  }
}

/** What the program gets. */
export function Gets({ answer }: { answer: Answer }) {
  switch (answer.of) {
    case "call":
      return <CallGets answer={answer} />;
    case "output":
      return <OutputGets answer={answer} />;
    case "claims":
      return <ClaimsGets answer={answer} />;
    case "answer":
      return <AnswerGets answer={answer} />;
    case "result":
      return <ResultGets answer={answer} />;
    case "gateway":
      return <GatewayGets answer={answer} />;
  }
}
