import playbook from "../../playbooks/power-off.ts";
import { absent } from "../../src/authoring.ts";
import { type Simulation, simulate } from "../../src/testing/index.ts";
import { answerFor, nodeOf, type Objects, soundCluster } from "../guards/examples.ts";

/** The login of every management controller. */
export const login = { user: "furrow", password: "bmc-pass-word" };
/** Three nodes, the last one without a management controller. */
export const nodes = [
  { name: "n1", address: "192.168.10.11", redfish: { url: "https://bmc-1", ...login } },
  { name: "n2", address: "192.168.10.12", ipmi: { address: "bmc-2", ...login } },
  { name: "n3", address: "192.168.10.13" },
];
const vars = { kubeconfig: "k", record: "/root/shutdown.json", nodes };
/** The nodes as the cluster lists them. */
export const own = nodes.map(({ name, address }) => nodeOf(name, { address }));
/** The nodes as the record names them. */
export const machines = ["n1 192.168.10.11 https://bmc-1", "n2 192.168.10.12 bmc-2", "n3 192.168.10.13 no controller"];
/** The record of a shutdown that began some minutes ago. */
export const recorded = (minutesAgo: number, names = machines) => ({
  type: "file",
  text: `${JSON.stringify({ nodes: names, since: new Date(Date.parse("2026-01-01T00:00:00Z") - minutesAgo * 60_000).toISOString() })}\n`,
});

interface Given {
  /** The nodes that are on. */
  readonly on?: readonly string[];
  readonly cluster?: Partial<Objects> | "silent" | "forbids";
  readonly record?: unknown;
  readonly vars?: object;
  readonly mode?: "apply" | "check";
  /** Another port at which n3 answers. */
  readonly answersAt?: number;
}

/** Runs the playbook on simulated machines, whose drivers report the state that the run has set. */
export async function run({
  on = ["n1", "n2", "n3"],
  cluster = {},
  record = absent,
  mode = "apply",
  ...given
}: Given): Promise<Simulation> {
  const power = new Map([
    ["redfish", on.includes("n1") ? "on" : "off"],
    ["ipmi", on.includes("n2") ? "on" : "off"],
  ]);
  const machine = (driver: string) => (request: unknown) => {
    if ((request as { change?: unknown }).change !== undefined) return void power.set(driver, "off");
    return { power: power.get(driver), ...(driver === "redfish" && { ways: ["GracefulShutdown", "On"] }) };
  };
  return simulate(playbook, {
    hosts: { n3: {} },
    vars: { ...vars, ...given.vars },
    mode,
    state: {
      localhost: {
        "file:/root/shutdown.json": record,
        ...Object.fromEntries(
          [22, 2380, 10_250].map((port) => [
            `port:192.168.10.13 ${port}`,
            { open: on.includes("n3") || given.answersAt === port },
          ]),
        ),
      },
    },
    perform: () => undefined,
    drivers: {
      redfish: machine("redfish"),
      ipmi: machine("ipmi"),
      operator: () => ({ who: "me@here", since: "2026-01-01T00:00:00Z" }),
      kubernetes: (request) => {
        if (cluster === "silent") return { error: { code: "ECONNREFUSED", message: "no answer" } };
        if (cluster === "forbids") return { error: { code: "HTTP 403", message: "you may not" } };
        return answerFor({ ...soundCluster, nodes: own, ...cluster }, request as { path: string });
      },
    },
  });
}

/** The labels of the steps that were performed. */
export const steps = ({ events }: Simulation): string[] =>
  events.flatMap((event) => (event.type === "stepStarted" ? [event.step] : []));
/** The details of all errors. */
export const failed = ({ tasks }: Simulation): string[] => tasks.flatMap(({ error }) => error?.failure.details ?? []);
/** All notes. */
export const notes = ({ tasks }: Simulation): string => tasks.flatMap((one) => one.notes).join("\n");
