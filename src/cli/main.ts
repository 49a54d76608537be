import { Console } from "node:console";
import { FurrowError } from "../core/errors.ts";
import { closest } from "../core/closest.ts";
import { endNow } from "./end-now.ts";
import type { ArgumentsOf } from "./words/command.ts";
import type { CommandName, Flags } from "./words/flags.ts";
import { listenForStrays } from "./run/stray.ts";
import type { Layout } from "./words/help.ts";

/**
 * Runs one command line and returns its exit code. Prints an expected failure as one block. Modules that only some
 * commands need are loaded once the command is known.
 */
export async function main(words: readonly string[]): Promise<number> {
  const output = watchOutput(words[0]);
  const json = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined).includes("--json");
  listenForStrays(json);
  // A playbook's own output must not be mixed with the JSON lines.
  if (json) globalThis.console = new Console(process.stderr, process.stderr);
  try {
    const code = await dispatch(words);
    await output.settle();
    if (output.error === undefined) return code;
    throw new FurrowError("E_FILE", {
      what: "the output cannot be written to stdout",
      current: output.error.message,
      hint: "Free space on the disk, or write the output somewhere else",
      cause: output.error,
    });
  } catch (error) {
    const [{ printError }, { exitCodeOfError }] = await Promise.all([
      import("./terminal.ts"),
      import("./exit-codes.ts"),
    ]);
    printError(error, json);
    return exitCodeOfError(error);
  }
}

/** The state of stdout. */
interface Output {
  error: Error | undefined;
  /** Waits until earlier writes have succeeded or failed. */
  readonly settle: () => Promise<void>;
}

/** Wraps help at the terminal's width. Undefined for a pipe or a file, so the wrapping code is not loaded. */
async function helpLayout(): Promise<Layout | undefined> {
  const { columns } = process.stdout;
  if (!columns) return undefined;
  const { inColumns } = await import("../report/text/wrapped.ts");
  return (label, text) => inColumns(label, text, columns);
}

async function dispatch([name, ...words]: readonly string[]): Promise<number> {
  const { commandHelp, commands, overview } = await import("./words/help.ts");
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    const [about] = words;
    if (about !== undefined && !isCommand(about, commands)) throw unknownCommand(about, Object.keys(commands));
    process.stdout.write(about === undefined ? overview() : commandHelp(about, await helpLayout()));
    return name === undefined ? 64 : 0;
  }
  if (name === "version") {
    const { ownVersion } = await import("./version.ts");
    process.stdout.write(`${ownVersion()}\n`);
    return 0;
  }
  if (!isCommand(name, commands)) throw unknownCommand(name, Object.keys(commands));
  const own = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined);
  if (own.includes("--help") || own.includes("-h")) {
    process.stdout.write(commandHelp(name, await helpLayout()));
    return 0;
  }
  const [{ checkArguments }, { flagsOf }, { loadCommand }] = await Promise.all([
    import("./words/arguments.ts"),
    import("./words/flags.ts"),
    import("./commands/index.ts"),
  ]);
  const { args, ...data } = checkArguments(name, flagsOf[name], words);
  const command = await loadCommand(name);
  const { watchForEarlyEnd } = await import("./early-end.ts");
  const finished = watchForEarlyEnd(name, own.includes("--json"));
  try {
    const result: unknown = await command.run({ args: args as ArgumentsOf<Flags>, data });
    // A command that does not return an exit code must not exit with 0.
    if (typeof result === "number") return result;
  } finally {
    finished();
  }
  throw new FurrowError("E_BUG", { what: `the command ${name} returned no exit code` });
}

function isCommand(name: string, commands: object): name is CommandName {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string, known: readonly string[]): FurrowError {
  const isFlag = name.startsWith("-");
  const near = closest(name, known);
  return new FurrowError("E_USAGE", {
    what: isFlag ? `furrow does not accept the flag ${name} before a command` : `furrow has no command "${name}"`,
    expected: `one of ${known.join(", ")}`,
    hint: /\.[cm]?[jt]s$/.test(name)
      ? `If it is a playbook, write furrow run ${name} -i INVENTORY, or furrow check to change nothing`
      : near === undefined || isFlag
        ? "Run furrow --help to see what it can do"
        : `Write furrow ${near}`,
  });
}

/**
 * Exits without an error if the reader closes the pipe, as in `furrow list … | head`. A run or check continues without
 * output: it must not leave hosts half configured, and its exit code shows the result. The same applies to messages on
 * stderr. Other errors, such as a full disk, are reported at the end.
 */
function watchOutput(command: string | undefined): Output {
  const output: Output = { error: undefined, settle: () => new Promise((resolve) => void setImmediate(resolve)) };
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") output.error ??= error;
    else if (command !== "run" && command !== "check") endNow(0);
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") output.error ??= error;
  });
  return output;
}
