// How the server is, layer by layer.
import { Failed } from "../../parts/note";
import { useAsked } from "../../parts/use-asked";
import { When } from "../../parts/when";
import { Refused } from "../../api";
import type { Health } from "../../contract";
import { Visible } from "../../text/visible";
import { overviewWords } from "../../words/overview";
import { useWords } from "../../words/words";

export function HealthByLayer() {
  const say = useWords(overviewWords);
  const { answer, error, again } = useAsked<Health>("/health", EVERY);
  const health = answer ?? told(error);
  return (
    <section className="panel">
      <h2>
        {say("health")} {health && <State status={health.status} />}
      </h2>
      {!health && error !== null && <Failed error={error} again={again} />}
      {health && (
        <ul className="layers">
          {Object.entries(health.layers).map(([name, layer]) => (
            <li key={name} data-layer={name} data-status={layer.status}>
              <span className="layer-name">{name in LAYERS ? say(LAYERS[name as keyof typeof LAYERS]) : name}</span> <State status={layer.status} />
              {typeof layer["since"] === "string" && (
                <span className="quiet">
                  {say("since")} <When time={layer["since"]} />
                </span>
              )}
              {typeof layer["note"] === "string" && (
                <span className="layer-note">
                  <Visible text={layer["note"]} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function State({ status }: { status: Health["status"] }) {
  const say = useWords(overviewWords);
  return (
    <span className={`badge badge-${LOOKS[status].tone}`}>
      <span aria-hidden="true">{LOOKS[status].sign}</span> {say(status)}
    </span>
  );
}

/** A server that is not well says so with an error's status and the same body. */
function told(error: unknown): Health | null {
  if (!(error instanceof Refused) || typeof error.body !== "object" || error.body === null) return null;
  return "layers" in error.body ? (error.body as Health) : null;
}

const EVERY = 10_000;
const LOOKS = { healthy: { sign: "✓", tone: "good" }, degraded: { sign: "△", tone: "warn" }, unhealthy: { sign: "✗", tone: "bad" } } as const;
const LAYERS = { config: "layer_config", disk: "layer_disk", queues: "layer_queues", store: "layer_store", upstream: "layer_upstream", redis: "layer_redis", model: "layer_model" } as const;
