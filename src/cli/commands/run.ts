import { defineCommand } from "../command.ts";
import { withRepeated } from "../arguments.ts";
import { flagsOf } from "../flags.ts";
import { playRun } from "../play-run.ts";

/** `furrow run PLAYBOOK`. */
export const command = defineCommand({
  args: flagsOf.run,
  run: ({ args, data }) => playRun(withRepeated(args, data), data.vars),
});
