import { ignoreAll } from "../../core/host/frame.ts";
import { defineCommand } from "../words/command.ts";
import type { HostFacts } from "../../core/authoring/playbook.ts";
import { hostFactsQuestion } from "../../engine/plan/host-facts.ts";
import { paintFor } from "../../report/text/colours.ts";
import { showValue } from "../../report/text/value.ts";
import { bytes } from "../../report/text/words.ts";
import { withRepeated } from "../words/arguments.ts";
import { onEachHost } from "../run/each-host.ts";
import { exitCodes, exitCodeOfError } from "../exit-codes.ts";
import { flagsOf } from "../words/flags.ts";
import { print, printError, printJson, wantsColor } from "../terminal.ts";

/** The `furrow facts HOST` command. */
export const command = defineCommand({
  args: flagsOf.facts,
  async run({ args, data }) {
    // Loading the catalogue registers the kinds.
    await import("../../facts/catalogue.ts");
    const all = await onEachHost<HostFacts>(args.host, withRepeated(args, data), async (session, _about, signal) => {
      const [result] = await session.frame(
        { items: [{ item: "read", questions: [hostFactsQuestion] }] },
        ignoreAll,
        signal,
      );
      const answer = result?.item === "read" ? result.answers[0] : undefined;
      if (answer !== undefined && "error" in answer) throw answer.error;
      return answer?.value as HostFacts;
    });
    for (const { host, value, error } of all) {
      if (value === undefined) printError(error, args.json === true);
      else if (args.json) printJson({ schema: 1, host, facts: value });
      else print(factsText(host, value));
    }
    const errors = all.flatMap(({ error }) => (error === undefined ? [] : [error]));
    return errors.length === 0 ? exitCodes.converged : Math.min(...errors.map(exitCodeOfError));
  },
});

function factsText(host: string, facts: HostFacts): string {
  const paint = paintFor(wantsColor(process.stdout));
  const rows = Object.entries(facts).map(([key, value]): [string, string] => [
    key,
    key === "memoryBytes" ? `${String(value)} (${bytes(value as number)})` : showValue(value),
  ]);
  const width = Math.max(...rows.map(([key]) => key.length));
  return `${[paint.strong(host), ...rows.map(([key, text]) => `  ${key.padEnd(width)}  ${text}`)].join("\n")}\n`;
}
