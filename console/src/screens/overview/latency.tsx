// How long things take.
import type { Stats } from "../../contract";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";

export function Latency({ stats }: { stats: Stats }) {
  const say = useWords(overviewWords);
  const { check, routes } = stats.latency;
  const slowest = [...routes].sort((one, two) => two.p95_ms - one.p95_ms).slice(0, MOST);
  return (
    <section className="panel">
      <h2>{say("latency")}</h2>
      <p className="quiet">{check === null && routes.length === 0 ? say("latencyNone") : say("latencyAbout")}</p>
      {check && (
        <>
          <p>{say("latencyCheck", { count: check.count })}</p>
          <dl className="percentiles">
            <Percentile name="p50" value={check.p50_ms} />
            <Percentile name="p95" value={check.p95_ms} />
            <Percentile name="p99" value={check.p99_ms} />
          </dl>
        </>
      )}
      {slowest.length > 0 && (
        <div className="wide" tabIndex={0} role="group" aria-label={say("latency")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{say("route")}</th>
                <th scope="col" className="number">
                  {say("count")}
                </th>
                <th scope="col" className="number">
                  p50
                </th>
                <th scope="col" className="number">
                  p95
                </th>
              </tr>
            </thead>
            <tbody>
              {slowest.map((route) => (
                <tr key={route.route}>
                  <th scope="row">
                    <code>{route.route}</code>
                  </th>
                  <td className="number">{route.count}</td>
                  <td className="number">{milliseconds(route.p50_ms)}</td>
                  <td className="number">{milliseconds(route.p95_ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Percentile({ name, value }: { name: string; value: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-figure={`check-${name}`}>{milliseconds(value)} ms</dd>
    </div>
  );
}

function milliseconds(value: number): string {
  return value < 1 ? value.toFixed(3) : value < 100 ? value.toFixed(1) : String(Math.round(value));
}

const MOST = 8;
