import { defineCommand } from "../command.ts";
import { withRepeated } from "../arguments.ts";
import { flagsOf } from "../flags.ts";
import { playRun } from "../play-run.ts";

/** `furrow check PLAYBOOK`: the same as `run --check`. */
export const command = defineCommand({
  args: flagsOf.check,
  run: ({ args, data }) => playRun({ ...withRepeated(args, data), check: true }, data.vars),
});
