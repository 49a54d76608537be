/**
 * Benchmarks on the lab, side by side in one run: `npm run bench -- [rerun | start | scale] [--json] [--runs N]`.
 * They show figures; no test depends on a time.
 */
import { parseArgs } from "node:util";
import type { BenchOptions } from "./options.ts";
import { rerun } from "./rerun/rerun.ts";
import { scale } from "./scale/scale.ts";
import { start } from "./start/start.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    runs: { type: "string" },
    rtt: { type: "string" },
    tools: { type: "string" },
  },
});

const options: BenchOptions = {
  json: values.json,
  runs: values.runs === undefined ? undefined : Number(values.runs),
  rtts: values.rtt?.split(",").map(Number),
  tools: values.tools?.split(","),
};

const benchmarks = { rerun, start, scale } as const;
const name = positionals[0] ?? "rerun";
if (!Object.hasOwn(benchmarks, name)) {
  process.stderr.write(`unknown benchmark "${name}"; there is: ${Object.keys(benchmarks).join(", ")}\n`);
  process.exitCode = 64;
} else {
  await benchmarks[name as keyof typeof benchmarks](options);
}
