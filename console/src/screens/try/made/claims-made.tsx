// A text with its claims: marked where they are, and as data.
import type { Claim } from "../../../contract";
import { Plain } from "../../../text/markdown";
import { Visible } from "../../../text/visible";
import { claims as claimWords } from "../../../words/claims";
import { tryWords } from "../../../words/try";
import { useWords } from "../../../words/words";
import type { Answer } from "../engine";

type ClaimsAnswer = Extract<Answer, { of: "claims" }>;

export function ClaimsMade({ answer: { report } }: { answer: ClaimsAnswer }) {
  return <ClaimedMessage text={report.content} claims={report.claims} pending={report.needs_verify} />;
}

/** A message as it is on a screen: the claims underlined, the badge at its top right while one is not verified. */
export function ClaimedMessage({ text, claims, pending }: { text: string; claims: readonly Claim[]; pending: boolean }) {
  const say = useWords(claimWords);
  return (
    <div className="try-message">
      {pending && (
        <span className="verify-badge" title={say("badgeTitle")}>
          {say("badge")}
        </span>
      )}
      <Plain text={text} claims={claims} />
    </div>
  );
}

export function ClaimsGets({ answer: { report } }: { answer: ClaimsAnswer }) {
  const say = useWords(tryWords);
  const sayClaims = useWords(claimWords);
  if (report.claims.length === 0) return <p className="try-headline">✓ {say("noClaims")}</p>;
  return (
    <>
      <p className="try-headline">{report.claims.length === 1 ? say("claimCount1") : say("claimCount", { count: report.claims.length })}</p>
      <table className="try-table">
        <caption className="quiet">{say("claimsAs")}</caption>
        <thead>
          <tr>
            <th scope="col">{say("claimWord")}</th>
            <th scope="col">
              {sayClaims("kind")}
              {say("comma")}
              {say("claimValue")}
            </th>
          </tr>
        </thead>
        <tbody>
          {report.claims.map((claim, at) => (
            <tr key={at}>
              <td>
                <Visible text={claim.text} />
              </td>
              <td>
                <span className="quiet">{claim.kind in claimWords.en ? sayClaims(claim.kind as "date") : claim.kind}</span>
                {valueOf(claim) !== claim.text && (
                  <>
                    <br />
                    <code>
                      <Visible text={valueOf(claim)} />
                    </code>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The value in one form, as another program compares it. */
function valueOf(claim: Claim): string {
  const { number, upper, unit, date, of, bound } = claim.value ?? {};
  if (typeof date === "string") return date;
  if (typeof number !== "number") return typeof of === "string" ? of : "–";
  const figure = [number, upper].filter((one) => typeof one === "number").map((one) => FIGURES.format(one as number));
  return [typeof bound === "string" ? SIGNS[bound] : undefined, figure.join("–"), unit ?? of].filter((part) => part !== undefined && part !== "").join(" ");
}

const FIGURES = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 6 });
const SIGNS: Record<string, string> = { about: "≈", over: ">", under: "<" };
