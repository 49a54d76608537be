import { defineCommand } from "../words/command.ts";
import { withRepeated } from "../words/arguments.ts";
import { flagsOf } from "../words/flags.ts";
import { playRun } from "../run/play-run.ts";

/** The `furrow check PLAYBOOK` command, which is the same as `run --check`. */
export const command = defineCommand({
  args: flagsOf.check,
  run: ({ args, data }) => playRun({ ...withRepeated(args, data), check: true }, data.vars),
});
