/**
 * Runs benchmarks on the lab, one after another; bench/README.md says how they measure. Usage: `npm run bench -- [a … h
 * | rerun | start | scale | change | inventory | kube] [--tools furrow,floor] [--rtt 0,26 | none] [--runs N]
 * [--slow-runs N] [--bandwidth MBIT] [--slow-start] [--lab NAME] [--json]`. They print figures; no test depends on a
 * time.
 */
import { parseArgs } from "node:util";
import { change } from "./change/change.ts";
import { matrix } from "./compare/matrix.ts";
import { kube } from "./kube/kube.ts";
import { inventory } from "./inventory/inventory.ts";
import type { BenchOptions } from "./options.ts";
import { rerun } from "./rerun/rerun.ts";
import { scale } from "./scale/scale.ts";
import { start } from "./start/start.ts";
import { tools } from "./tools/tools.ts";
import { workloads } from "./workloads/workloads.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    runs: { type: "string" },
    "slow-runs": { type: "string" },
    rtt: { type: "string" },
    bandwidth: { type: "string" },
    "slow-start": { type: "boolean", default: false },
    tools: { type: "string" },
    lab: { type: "string", default: "bench" },
  },
});

const options: BenchOptions = {
  json: values.json,
  lab: values.lab,
  runs: values.runs === undefined ? undefined : Number(values.runs),
  slowRuns: values["slow-runs"] === undefined ? undefined : Number(values["slow-runs"]),
  rtts: values.rtt === "none" ? [] : values.rtt?.split(",").map(Number),
  cable: {
    bitsPerSecond: values.bandwidth === undefined ? undefined : Number(values.bandwidth) * 1e6,
    slowStart: values["slow-start"],
  },
  tools: values.tools?.split(","),
};

const others = new Map([
  ["rerun", rerun],
  ["start", start],
  ["scale", scale],
  ["change", change],
  ["inventory", inventory],
  ["kube", kube],
]);
const known = [...workloads.map(({ id }) => id), ...others.keys()];
const unknown = [
  ...positionals.filter((name) => !known.includes(name)),
  ...(options.tools ?? []).filter((name) => !tools.some((tool) => tool.name === name)),
];
if (options.rtts?.some((rttMs) => !(rttMs >= 0)) === true) {
  process.stderr.write(`--rtt ${values.rtt}: not a list of milliseconds, such as 0,26, or none\n`);
  process.exitCode = 64;
} else if (unknown.length > 0) {
  const there = `benchmarks: ${known.join(", ")}; tools: ${tools.map(({ name }) => name).join(", ")}`;
  process.stderr.write(`unknown: ${unknown.join(", ")}; ${there}\n`);
  process.exitCode = 64;
} else {
  const letters = positionals.filter((name) => !others.has(name));
  if (letters.length > 0 || positionals.length === 0) await matrix(letters, options);
  for (const name of positionals.length === 0 ? ["start", "scale"] : positionals) await others.get(name)?.(options);
}
