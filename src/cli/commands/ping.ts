import { ignoreAll } from "../../core/host/frame.ts";
import { defineCommand } from "../words/command.ts";
import { count, duration } from "../../report/text/words.ts";
import { withRepeated } from "../words/arguments.ts";
import { type Each, onEachHost } from "../run/each-host.ts";
import { exitCodes, exitCodeOfError } from "../exit-codes.ts";
import { flagsOf } from "../words/flags.ts";
import { print, printError, printJson } from "../terminal.ts";

interface Pong {
  readonly connectMs: number;
  readonly roundTripMs: number;
  readonly user: string;
  readonly isLocal: boolean;
}

/** The `furrow ping [PATTERN]` command. */
export const command = defineCommand({
  args: flagsOf.ping,
  async run({ args, data }) {
    const all = await onEachHost<Pong>(
      args.pattern ?? "all",
      withRepeated(args, data),
      async (session, { connectMs, isLocal }, signal) => {
        const empty = { items: [{ item: "read", questions: [] }] } as const;
        // The first frame also carries the prelude, so only the second one is measured.
        await session.frame(empty, ignoreAll, signal);
        const started = performance.now();
        await session.frame(empty, ignoreAll, signal);
        return { connectMs, roundTripMs: performance.now() - started, user: session.user, isLocal };
      },
      (each) => show(each, args.json === true),
    );
    const answered = all.filter(({ value }) => value !== undefined).length;
    if (all.length > 1 && args.json !== true) print(`${answered} of ${count(all.length, "host")} answered\n`);
    const errors = all.flatMap(({ error }) => (error === undefined ? [] : [error]));
    return errors.length === 0 ? exitCodes.converged : Math.min(...errors.map(exitCodeOfError));
  },
});

function show({ host, value, error }: Each<Pong>, json: boolean): void {
  if (value === undefined) printError(error, json);
  else if (json) {
    const { isLocal: _isLocal, ...data } = value;
    printJson({ schema: 1, host, ...data });
  } else {
    const { connectMs, roundTripMs, user, isLocal } = value;
    print(
      `${host}  ${isLocal ? "opened a local shell" : "connected"} as ${user} in ${duration(connectMs)}, round trip ${roundTripMs.toFixed(1)} ms\n`,
    );
  }
}
