import { FurrowError } from "../../core/errors.ts";
import type { FactPattern, HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";

/** The result of a user's command. */
export interface CommandEnd {
  /** 0 if the command succeeded; 126 or 127 if it could not be run or is not on the host. */
  readonly exitCode: number;
}

/** A command that a user wrote to ask a question about the host. */
export interface UserCommand {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** The working directory; default `/`. */
  readonly cwd?: string | undefined;
  /** Runs the command as this user instead of the session's user. */
  readonly user?: string | undefined;
}

/** The time limit for a command, in seconds. */
const limitSeconds = 60;

/**
 * Asks for the exit code of a user's command, and discards its output. The command never runs ahead of its task, and
 * runs in check mode only if `readOnly` promises that it changes nothing. `reads`: the facts that the command's answer
 * depends on; without `reads`, check mode does not know the answer once anything on the host has changed.
 */
export function userCommand(
  command: UserCommand,
  options: { readonly readOnly: boolean; readonly reads?: readonly FactPattern[] | undefined },
): HostFact<CommandEnd> {
  const { argv, cwd = "/", user } = command;
  const key = JSON.stringify({ argv, cwd, ...(user !== undefined && { user }) });
  const question = ask(userCommandKind, key, options.readOnly ? ["readOnly"] : []);
  return options.reads === undefined ? question : { ...question, reads: options.reads };
}

/** Users' own commands, each in its own child process, as the given user. */
export const userCommandKind = defineKind<CommandEnd>({
  name: "userCommand",
  summary: "The exit code of a user's own command",
  facets: { readOnly: "the author says that it changes nothing, so check mode may run it" },
  neverAhead: true,
  readsAnything: true,
  // The run fails if the command's result is not the wanted one, so check mode may assume the wanted result.
  predict: (_before, wanted) => wanted as CommandEnd,
  deadlineSeconds: limitSeconds + 10,
  harmless: (question) => question.facets.includes("readOnly"),
  read: (questions) => `limit() { if command -v timeout >/dev/null; then timeout ${limitSeconds} "$@"; else "$@"; fi; }
${questions.map(runOne).join("\n")}`,
  parse(lines, question) {
    const exitCode = Number(lines["exitCode"]);
    if (Number.isInteger(exitCode)) return { exitCode };
    throw new FurrowError("E_FACT", { what: `the exit code of the command ${question.key} could not be read` });
  },
  print: ({ exitCode }) => ({ exitCode: String(exitCode) }),
  failed(key, found) {
    const { argv } = JSON.parse(key) as UserCommand;
    const guard = argv.map(shellQuote).join(" ");
    if ("said" in found) {
      return {
        what: `the guard (\`unless\`) did not finish: ${guard}`,
        current: found.said,
        hint: "Correct the guard, or fix the cause given in the message",
      };
    }
    const { exitCode } = found.value;
    const isMissing = exitCode === 127;
    return {
      what: `the guard (\`unless\`) still fails after the command: ${guard}`,
      current: `exit code ${exitCode}${isMissing ? ": a program was not found" : ""}`,
      expected: "exit code 0",
      hint: isMissing
        ? "Correct the guard, or add an earlier task that installs the program it needs"
        : "Correct the guard, or the command: the guard must succeed once the command has done its work",
    };
  },
});

function runOne({ number, key }: NumberedQuestion): string {
  const { argv, cwd, user } = JSON.parse(key) as { argv: string[]; cwd: string; user?: string };
  const command = argv.map(shellQuote).join(" ");
  const inFolder = shellQuote(`${number} !${oneLine(`the working directory ${cwd} cannot be entered`)}`);
  const tooLong = shellQuote(`${number} !${oneLine(`${command} did not end within ${limitSeconds} s`)}`);
  return `(cd ${shellQuote(cwd)} 2>/dev/null || { echo ${inFolder}; exit 0; }
${user === undefined ? `limit ${command}` : asUser(user, command)} </dev/null >/dev/null 2>&1; c=$?
if [ $c -eq 124 ]; then echo ${tooLong}; else echo "${number} exitCode=$c"; fi)`;
}

/**
 * Wraps a command so that it runs as a user, with `runuser` (util-linux) if present, otherwise with `su`, whose `-c`
 * takes a single string.
 */
function asUser(user: string, command: string): string {
  const name = shellQuote(user);
  return `{ if [ "$(id -un)" = ${name} ] || [ "$(id -u)" = ${name} ]; then limit ${command}
elif command -v runuser >/dev/null; then limit runuser -u ${name} -- ${command}
else limit su -s /bin/sh ${name} -c ${shellQuote(command)}; fi; }`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
