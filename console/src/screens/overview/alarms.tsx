// How often a check doubted something for nothing: what a person then approved unchanged. Tools that always ask raise no alarm.
import type { Stats } from "../../contract";
import { Visible } from "../../text/visible";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";

export function Alarms({ stats }: { stats: Stats }) {
  const say = useWords(overviewWords);
  const { outcomes } = stats;
  const always = outcomes.decided - outcomes.doubted.decided;
  const tools = Object.entries(outcomes.by_code)
    .filter(([, counts]) => counts.decided + counts.expired > 0)
    .sort((one, two) => two[1].decided - one[1].decided);
  const none = outcomes.false_alarm_rate === null;
  return (
    <section className="panel">
      <h2>{say("alarms")}</h2>
      <p className="quiet">{say("alarmsAbout")}</p>
      <p className="alarms-rate">
        <strong data-figure="false-alarm-rate">{outcomes.false_alarm_rate === null ? "–" : `${Math.round(outcomes.false_alarm_rate * 100)} %`}</strong>{" "}
        <span>{none ? say("alarmsNone") : say("alarmsBasis", { approved: outcomes.doubted.approved, decided: outcomes.doubted.decided })}</span>
      </p>
      {tools.length > 0 && (
        <div className="wide" tabIndex={0} role="group" aria-label={say("alarms")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{say("alarmsCheck")}</th>
                {COLUMNS.map((column) => (
                  <th key={column} scope="col" className="number">
                    {say(column)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {tools.slice(0, MOST).map(([tool, counts]) => (
                <tr key={tool}>
                  <th scope="row">
                    <code>
                      <Visible text={tool} />
                    </code>
                  </th>
                  {COLUMNS.map((column) => (
                    <td key={column} className="number">
                      {counts[column]}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {always > 0 && <p className="quiet">{say("alarmsAlways", { count: always })}</p>}
    </section>
  );
}

const COLUMNS = ["decided", "approved", "edited", "rejected", "expired"] as const;
const MOST = 10;
