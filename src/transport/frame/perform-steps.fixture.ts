import { spawnSync } from "node:child_process";
import type { Step } from "../../core/step.ts";
import { compileFrame } from "./compile.ts";
import { prelude, stepFunctions } from "./prelude.ts";
import { borderFunctions } from "./runner-script.ts";

/** Runs a frame in a shell of this machine, with an item for each list of steps; all that the shell prints. */
export function performSteps(shell: string, items: readonly (readonly Step[])[]): string {
  const { text } = compileFrame(
    items.map((steps) => ({ item: "steps", task: "t", steps })),
    "nonce",
  );
  const input = `umask 022\n${prelude}${borderFunctions}\n${stepFunctions}\n${text}`;
  const [program = "", ...args] = shell === "busybox" ? ["busybox", "sh"] : [shell];
  return spawnSync(program, args, { input, encoding: "utf8" }).stdout;
}

/** The records of steps in what a shell printed, of the first item: `STEP CODE`. */
export function stepCodes(said: string): string[] {
  return [...said.matchAll(/nonce S 0 (\d+ \d+)$/gm)].map(([, record = ""]) => record);
}
