// The versions that were applied here: who, when and why; each can be read and brought back.
import { useState } from "react";
import { ask, told } from "../../api";
import type { PolicyText, PolicyVersion, PolicyVersions } from "../../contract";
import { JsonView } from "../../parts/json-view";
import { Failed, Loading } from "../../parts/note";
import { useAsked } from "../../parts/use-asked";
import { When } from "../../parts/when";
import { useSettings } from "../../settings";
import { Visible } from "../../text/visible";
import { may, useWho } from "../../who";
import { policyWords } from "../../words/policy";
import { useWords } from "../../words/words";

export function Versions({ policy, applied }: { policy: PolicyText; applied: () => void }) {
  const say = useWords(policyWords);
  const who = useWho();
  const sees = !who.locked || may(who, "admin");
  const { answer, error, again } = useAsked<PolicyVersions>(sees ? "/v1/policy/versions" : null);
  if (!sees) return <p className="note">{say("readOnlyScope")}</p>;
  if (error !== null) return <Failed error={error} again={again} />;
  if (answer === null) return <Loading />;
  return (
    <>
      <p className="quiet">{say(policy.path === null ? "versionsAbout" : "readOnlyFile")}</p>
      {answer.versions.length === 0 && <p className="note">{say("noVersions")}</p>}
      <ul className="policy-versions">
        {answer.versions.map((version) => (
          <Line
            key={version.policy_id}
            version={version}
            editable={policy.editable}
            applied={() => {
              again();
              applied();
            }}
          />
        ))}
      </ul>
    </>
  );
}

function Line({ version, editable, applied }: { version: PolicyVersion; editable: boolean; applied: () => void }) {
  const say = useWords(policyWords);
  const { reviewer } = useSettings();
  const [open, setOpen] = useState(false);
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const text = useAsked<PolicyVersion>(open ? `/v1/policy/versions/${encodeURIComponent(version.policy_id)}` : null);
  const restore = () => {
    ask("/v1/policy", { method: "POST", body: { restores: version.policy_id, author: reviewer || undefined } }).then(() => {
      setSure(false);
      applied();
    }, setError);
  };
  return (
    <li className="panel" data-policy={version.policy_id}>
      <p className="row">
        <code>{version.version}</code>
        {version.in_force && <span className="badge badge-good">✓ {say("isInForce")}</span>}
        <span className="grow">
          <When time={version.created_at} full /> {version.author && <Visible text={say("by", { name: version.author })} />}
        </span>
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {say(open ? "hideText" : "showText")}
        </button>
        {editable && !version.in_force && !sure && (
          <button type="button" onClick={() => setSure(true)}>
            {say("restore")}
          </button>
        )}
        {sure && (
          <>
            <button type="button" className="danger" onClick={restore}>
              {say("restoreSure")}
            </button>
            <button type="button" onClick={() => setSure(false)}>
              {say("cancel")}
            </button>
          </>
        )}
      </p>
      {version.note && (
        <p>
          <Visible text={version.note} />
        </p>
      )}
      {version.restores && <p className="quiet">{say("restored")}</p>}
      {error !== null && (
        <p className="bad" role="alert">
          <Visible text={told(error)} />
        </p>
      )}
      {open && text.answer && <JsonView value={text.answer.toml ?? ""} lines={400} />}
    </li>
  );
}
