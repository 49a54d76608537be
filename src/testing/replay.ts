import type { Playbook } from "../core/authoring/playbook.ts";
import { type ErrorCode, errorCodes, FurrowError } from "../core/errors.ts";
import { absent } from "../core/facts/symbols.ts";
import type { FieldReport } from "../field/format.ts";
import { fromData } from "../field/values.ts";
import { simulate, type Simulation } from "./simulate.ts";
import type { SimulatedState } from "./simulated-world.ts";

/** Options for replaying a report. */
export interface ReplayOptions {
  /** Vars in place of those in the report, or in addition to them. */
  readonly vars?: Readonly<Record<string, unknown>>;
  /** Values in place of those in the report, by fact id. */
  readonly state?: SimulatedState;
}

/** The result of a check on the simulated host that a report describes. */
export interface Replay extends Simulation {
  /** The name of the host in the report. */
  readonly host: string;
  /**
   * The facts that the check read but the report does not contain, sorted. Their values are those of a fresh host, so
   * what depends on them may be different on the real host.
   */
  readonly missing: readonly string[];
}

/** The replacement for every secret, because a report contains no secrets. */
const anySecret = "replayed-secret";

/**
 * Checks a playbook on a simulated host that is made from a field report, as `furrow doctor` writes it. Throws
 * FurrowError if the playbook cannot start with the report's vars.
 */
export async function replay(
  playbook: Playbook,
  report: FieldReport,
  { vars, state }: ReplayOptions = {},
): Promise<Replay> {
  const { name, address, groups } = report.host;
  const answers = new Map(Object.entries(report.answers).map(([id, value]) => [id, fromData(value, anySecret)]));
  const missing = new Set<string>();
  const own = Object.entries(report.vars).map(([key, value]) => [key, fromData(value, anySecret)] as const);
  const values = Object.entries(report.facts).map(([id, value]) => [id, fromData(value, anySecret)] as const);
  const unread = Object.entries(report.unread).map(([id, code]) => [id, unreadable(id, code)] as const);
  const run = await simulate(playbook, {
    hosts: { [name]: { address, groups, vars: { ...Object.fromEntries(own), ...vars } } },
    state: { [name]: { ...Object.fromEntries([...values, ...unread]), ...state } },
    drivers: {
      http: (request) => {
        const id = `http:${JSON.stringify(request)}`;
        if (answers.has(id)) return answers.get(id);
        if (report.unread[id] !== undefined) throw unreadable(id, report.unread[id]);
        missing.add(id);
        return { error: { code: "not-recorded", message: "the report contains no answer from this server" } };
      },
      // The files of the machine that replays a report have nothing to do with the host.
      file: () => absent,
      kubeconfig: () => absent,
      manifest: () => ({ problem: noManifest }),
      tree: () => absent,
      rancher: () => ({ found: false }),
    },
    mode: "check",
  });
  for (const id of run.assumed[name] ?? []) if (!id.startsWith("pathResolution:")) missing.add(id);
  return { ...run, host: name, missing: [...missing].toSorted() };
}

const noManifest = {
  code: "no-manifest",
  message: "the manifest is not in the report",
  hint: "Run furrow check where the manifest is",
};

function unreadable(id: string, code: string): FurrowError {
  return new FurrowError(code in errorCodes ? (code as ErrorCode) : "E_FACT", {
    what: `${id} could not be read when the report was made`,
    hint: "Run furrow check on the host itself to see why",
  });
}
