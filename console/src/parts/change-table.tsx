// Versions of a call beside each other: the model's, the corrected one, a reviewer's.
import { Visible, visible } from "../text/visible";
import { rows, same } from "./changes";

export interface Version {
  label: string;
  /** `{name, arguments}`, or arguments alone. */
  value: unknown;
}

/** A table of the fields. What differs from the version before is marked with a sign and a colour. */
export function ChangeTable({ versions, onlyChanges = false }: { versions: readonly Version[]; onlyChanges?: boolean }) {
  const all = rows(versions.map((version) => version.value));
  const shown = onlyChanges ? all.filter((row) => row.differs) : all;
  return (
    // A table that is wider than its place is scrolled with the arrow keys too.
    <div className="wide" tabIndex={0} role="group" aria-label={visible(versions.map((version) => version.label).join(", "))}>
      <table className="changes">
        <thead>
          <tr>
            <td />
            {versions.map((version, at) => (
              <th key={at} scope="col">
                <Visible text={version.label} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.pointer} className={row.differs ? "differs" : ""}>
              <th scope="row">
                <code>
                  <Visible text={row.pointer.replace(/^\/arguments\//, "").replace(/^\//, "") || "·"} />
                </code>
              </th>
              {row.values.map((value, at) => (
                <Cell key={at} value={value} before={at === 0 ? value : row.values[at - 1]} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ value, before }: { value: unknown; before: unknown }) {
  const changed = !same(value, before);
  if (value === undefined) return <td className={changed ? "gone" : "absent"}>{changed ? "−" : "–"}</td>;
  return (
    <td className={changed ? "changed" : ""}>
      {changed && <span aria-hidden="true">✎ </span>}
      {typeof value === "string" && (value.includes("\n") || value.length > PROSE) ? (
        <span className="plain">
          <Visible text={short(value)} />
        </span>
      ) : (
        <code>
          <Visible text={short(JSON.stringify(value) ?? "")} />
        </code>
      )}
    </td>
  );
}

function short(text: string): string {
  return text.length > LONG ? `${text.slice(0, LONG)}…` : text;
}

const LONG = 1_200;
/** A longer text is read as text. */
const PROSE = 60;
