import { join } from "node:path";
import type { Targets } from "../../hosts/targets.ts";
import type { Program } from "../../measure/program.ts";
import type { Tool } from "../tool.ts";

const root = join(import.meta.dirname, "../../..");

/** The furrow command as packed by `npm run build`: what users install. */
export function furrow(...words: readonly string[]): Program {
  return {
    argv: [process.execPath, join(root, "dist/package/bin/furrow.js"), ...words],
    cwd: root,
    env: { NO_COLOR: "1" },
  };
}

/** Runs a playbook against hosts. */
export function furrowRun(playbook: string, targets: Targets, ...flags: readonly string[]): Program {
  const words = ["run", playbook, "-i", join(import.meta.dirname, "inventory.ts"), ...flags];
  const program = furrow(...words);
  return { ...program, env: { ...program.env, BENCH_TARGETS: targets.file } };
}

/** furrow itself. */
export const furrowTool: Tool = {
  name: "furrow",
  packages: [],
  slow: false,
  program({ plan, check, targets, tree, big }) {
    const playbook = plan === "fifty" ? "bench/rerun/playbook.ts" : `bench/tools/furrow/${plan}.ts`;
    const source = { tree, big, fifty: undefined, one: undefined, ten: undefined }[plan];
    const flags = [...(check ? ["--check"] : []), ...(source === undefined ? [] : ["--var", `source=${source}`])];
    return furrowRun(playbook, targets, ...flags);
  },
  changes: (output) => Number(/^(\d+) changed/m.exec(output)?.[1] ?? Number.NaN),
};
