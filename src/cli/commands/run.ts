import { defineCommand } from "../words/command.ts";
import { withRepeated } from "../words/arguments.ts";
import { flagsOf } from "../words/flags.ts";
import { playRun } from "../run/play-run.ts";

/** The `furrow run PLAYBOOK` command. */
export const command = defineCommand({
  args: flagsOf.run,
  run: ({ args, data }) => playRun(withRepeated(args, data), data.vars),
});
