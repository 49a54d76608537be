import { defineCommand } from "citty";
import type { Extras } from "../arguments.ts";
import { flagsOf } from "../flags.ts";
import { playRun } from "../play-run.ts";

/** `furrow run PLAYBOOK`. */
export const command = defineCommand({
  args: flagsOf.run,
  run: ({ args, data }) => playRun(args, (data as Extras).vars),
});
