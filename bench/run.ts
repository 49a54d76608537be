/**
 * Benchmarks on the lab, side by side in one run: `npm run bench -- rerun [--json] [--runs N]`.
 * They show figures; no test depends on a time.
 */
import { parseArgs } from "node:util";
import { rerun } from "./rerun/rerun.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, runs: { type: "string", default: "15" } },
});

const benchmarks = { rerun } as const;
const name = positionals[0] ?? "rerun";
if (!Object.hasOwn(benchmarks, name)) {
  process.stderr.write(`unknown benchmark "${name}"; there is: ${Object.keys(benchmarks).join(", ")}\n`);
  process.exitCode = 64;
} else {
  await benchmarks[name as keyof typeof benchmarks]({ json: values.json, runs: Number(values.runs) });
}
