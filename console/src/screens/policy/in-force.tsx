// The policy in force: where it comes from, what each check does under it, its rules, and its text.
import type { PolicyExplained, PolicyText } from "../../contract";
import { JsonView } from "../../parts/json-view";
import { Visible } from "../../text/visible";
import { useCheckName } from "../../words/checks";
import { policyWords } from "../../words/policy";
import { hasWord, useWords } from "../../words/words";

export function InForce({ policy }: { policy: PolicyText }) {
  const say = useWords(policyWords);
  return (
    <>
      <p>
        <Visible text={policy.path === null ? say("builtIn", { version: policy.version }) : say("ofFile", { version: policy.version, path: policy.path })} />
      </p>
      <p className="quiet">{say(policy.path !== null ? "readOnlyFile" : policy.editable ? "editable" : "readOnlyScope")}</p>
      {policy.trouble && (
        <p className="note note-bad" role="alert">
          <Visible text={say("trouble", { reason: policy.trouble })} />
        </p>
      )}
      <Explained explained={policy.explained} />
      <h2>{say("text")}</h2>
      <JsonView value={policy.toml} lines={400} />
    </>
  );
}

export function Explained({ explained }: { explained: PolicyExplained }) {
  const say = useWords(policyWords);
  const name = useCheckName();
  return (
    <>
      <p>
        <strong>{say("level", { level: explained.level })}</strong> {hasWord(policyWords, `level_${explained.level}`) && say(`level_${explained.level}` as "level_moderate")}
      </p>
      {(["call", "result", "answer"] as const).map((stage) => (
        <section key={stage} className="panel">
          <h2>{say(`stage_${stage}`)}</h2>
          <table className="policy-checks">
            <thead>
              <tr>
                <th scope="col">{say("check")}</th>
                <th scope="col">{say("mode")}</th>
                <th scope="col">{say("about")}</th>
              </tr>
            </thead>
            <tbody>
              {explained.checks
                .filter((check) => check.stage === stage)
                .map((check) => (
                  <tr key={check.name} data-check={check.name}>
                    <th scope="row">
                      <code>{check.name}</code> <span className="quiet">{name(check.name) === check.name ? "" : name(check.name)}</span>
                    </th>
                    <td>
                      <span className={`badge badge-${TONES[check.mode]}`} title={say(`mode_${check.mode}`)}>
                        {say(`is_${check.mode}`)}
                      </span>
                    </td>
                    <td>{hasWord(policyWords, `about_${check.name}`) ? say(`about_${check.name}` as "about_name") : check.about}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </section>
      ))}
      <section className="panel">
        <h2>{say("rules")}</h2>
        {explained.rules.length === 0 && <p className="quiet">{say("noRules")}</p>}
        <ul className="policy-rules">
          {explained.rules.map((rule) => (
            <li key={rule.name}>
              <strong>
                <Visible text={rule.name} />
              </strong>{" "}
              <span className="badge badge-quiet">{hasWord(policyWords, `effect_${rule.effect}`) ? say(`effect_${rule.effect}` as "effect_deny") : rule.effect}</span>
              <p>
                <Visible text={rule.reason} />
              </p>
              {(rule.tools.length > 0 || rule.effects.length > 0) && (
                <p className="quiet">
                  {say("ruleTools")} <Visible text={[...rule.tools, ...rule.effects].join(", ")} />
                </p>
              )}
              {rule.when && (
                <p className="quiet">
                  {say("ruleWhen")}{" "}
                  <code>
                    <Visible text={rule.when} />
                  </code>
                </p>
              )}
            </li>
          ))}
        </ul>
      </section>
      {explained.tools.length > 0 && (
        <section className="panel">
          <h2>{say("tools")}</h2>
          <ul>
            {explained.tools.map((tool) => (
              <li key={tool.names}>
                <code>
                  <Visible text={tool.names} />
                </code>{" "}
                <Visible text={[tool.level, tool.irreversible === true ? say("irreversible") : null, ...Object.entries(tool.checks).map(([check, mode]) => `${check} ${mode}`)].filter(Boolean).join(" · ")} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className="panel">
        <h2>{say("doubts")}</h2>
        <p>{say(`results_${explained.suspicious_results}`)}</p>
        <p>{say(`answers_${explained.doubtful_answers}`)}</p>
      </section>
    </>
  );
}

const TONES = { enforce: "good", advise: "warn", shadow: "quiet", off: "bad" } as const;
