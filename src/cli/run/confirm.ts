import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { frozenChange } from "../../core/guarded/guarded.ts";
import { guardContext } from "../../core/guarded/play.ts";
import type { Confirmation } from "../../core/authoring/playbook.ts";
import { holdsSecret, printMarkers } from "../../core/secrets/secret.ts";
import { playHosts } from "../../engine/plan/plan-play.ts";
import type { RunHost, RunRequest } from "../../engine/plan/request.ts";
import { userFrame } from "../../load/playbook/compile-error.ts";
import { askShown } from "../../load/vars/prompt.ts";
import { safeLine } from "../../report/text/value.ts";

/** The options for asking the user. */
export interface Asking {
  /** True if the command line already contains the answer. */
  readonly yes: boolean;
  readonly signal: AbortSignal;
  /**
   * Asks a question and returns the typed text; undefined without a terminal. By default, asks on the terminal.
   */
  readonly ask?: (before: string, question: string, signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * Asks the questions of the playbook's `confirm` before any host is touched. Each question lists everything that will
 * be lost, and the user must type a given string; each string is asked for once. Check mode only tests whether
 * `confirm` works. Throws FurrowError E_USAGE if there is no terminal to ask on, E_REFUSED if something else was typed,
 * E_INTERRUPTED, and E_PLAYBOOK for an error in `confirm`.
 */
export async function confirmRun(
  request: Pick<RunRequest, "playbook" | "mode" | "varsOf">,
  hosts: readonly RunHost[],
  { yes, signal, ask = askShown }: Asking,
): Promise<void> {
  const questions = questionsOf(request, hosts);
  if (yes || request.mode === "check") return;
  for (const [typeBack, lost] of questions) {
    const before = ["This will be lost for good:", ...lost.map((line) => `  ${line}`), ""].join("\n");
    const typed = await ask(before, `Type ${typeBack} to continue:`, signal);
    if (typed === undefined) throw nobodyToAsk(request, lost);
    if (typed.trim() !== typeBack) throw notTypedBack(typed.trim(), typeBack);
  }
}

/** Returns the strings that the user must type, each with what will be lost. */
function questionsOf(
  { playbook, varsOf }: Pick<RunRequest, "playbook" | "varsOf">,
  hosts: readonly RunHost[],
): ReadonlyMap<string, readonly string[]> {
  const questions = new Map<string, string[]>();
  const { confirm } = playbook;
  if (confirm === undefined) return questions;
  const seen = playHosts(hosts);
  for (const [index, host] of hosts.entries()) {
    const given = { host: seen[index], hosts: seen, vars: varsOf(host) };
    const context = guardContext(given) as unknown as Parameters<typeof confirm>[0];
    const asked = checked(() => confirm(context), host.name, playbook.source);
    if (asked === undefined) continue;
    const lost = printMarkers(asked.lost).split("\n").map(safeLine).join("\n  ");
    const typeBack = asked.typeBack.trim();
    questions.set(typeBack, [...new Set([...(questions.get(typeBack) ?? []), lost])]);
  }
  return questions;
}

/** Checks a question. Any error in the question is an error in the playbook. */
function checked(
  confirm: () => Confirmation | undefined,
  host: string,
  source: string | undefined,
): Confirmation | undefined {
  let asked: Confirmation | undefined;
  try {
    asked = confirm();
  } catch (error) {
    if (isFurrowError(error) || !(error instanceof Error)) throw error;
    const change = frozenChange(error, userFrame(error));
    if (change !== undefined) throw change.at({ host });
    throw new FurrowError("E_PLAYBOOK", {
      what: `the playbook's "confirm" threw ${error.name}`,
      where: { host, ...sourceOf(userFrame(error) ?? source) },
      current: error.message,
      hint: "Correct that line",
      cause: error,
    });
  }
  // The text must be neither empty, because pressing Enter would then confirm it, nor secret, because it is shown.
  const { lost, typeBack } = asked ?? { lost: "nothing", typeBack: "nothing" };
  if (typeof lost === "string" && typeof typeBack === "string" && typeBack.trim() !== "" && !holdsSecret(typeBack)) {
    return asked ?? undefined;
  }
  throw new FurrowError("E_PLAYBOOK", {
    what: 'the playbook\'s "confirm" returns nothing that can be typed back',
    where: { host, ...sourceOf(source) },
    expected: '{ lost: "what is lost", typeBack: "a name that is not secret" }, or undefined',
    hint: "Set typeBack to the name of what will be lost",
  });
}

function sourceOf(source: string | undefined): { source?: string } {
  return source === undefined ? {} : { source };
}

function nobodyToAsk({ playbook }: Pick<RunRequest, "playbook">, lost: readonly string[]): FurrowError {
  return new FurrowError("E_USAGE", {
    what: `"${playbook.name}" asks for confirmation, but there is no terminal to ask on`,
    current: `will be lost for good: ${lost.join("; ")}`,
    hint: "Pass --yes if you agree, or start furrow from a terminal",
  });
}

function notTypedBack(typed: string, typeBack: string): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `${typeBack} was not typed back, so nothing was changed`,
    current: typed === "" ? "nothing" : JSON.stringify(typed),
    expected: JSON.stringify(typeBack),
    hint: `Rerun and type ${typeBack}, or pass --yes`,
  });
}
