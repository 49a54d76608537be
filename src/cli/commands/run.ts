import { defineCommand } from "citty";
import { type Extras, withRepeated } from "../arguments.ts";
import { flagsOf } from "../flags.ts";
import { playRun } from "../play-run.ts";

/** `furrow run PLAYBOOK`. */
export const command = defineCommand({
  args: flagsOf.run,
  run: ({ args, data }) => playRun(withRepeated(args, data), (data as Extras).vars),
});
