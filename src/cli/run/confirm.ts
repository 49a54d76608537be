import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { guardContext } from "../../core/guarded/play.ts";
import type { Confirmation } from "../../core/authoring/playbook.ts";
import { holdsSecret, printMarkers } from "../../core/secrets/secret.ts";
import { playHosts } from "../../engine/plan/plan-play.ts";
import type { RunHost, RunRequest } from "../../engine/plan/request.ts";
import { userFrame } from "../../load/playbook/compile-error.ts";
import { askShown } from "../../load/vars/prompt.ts";
import { safeLine } from "../../report/text/value.ts";

/** How a person is asked. */
export interface Asking {
  /** True where the command line has answered already. */
  readonly yes: boolean;
  readonly signal: AbortSignal;
  /** Asks, and gives what was typed; undefined where there is nobody to ask. Default: on the terminal. */
  readonly ask?: (before: string, question: string, signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * Asks whatever the playbook's `confirm` wants to be typed back, before any host is touched: each text once, with all
 * that is lost by it. Check mode only looks whether there is something to ask. Throws FurrowError E_USAGE where there
 * is nobody to ask, E_REFUSED where something else was typed, E_INTERRUPTED, and E_PLAYBOOK for what is wrong in
 * `confirm`.
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
    const typed = await ask(before, `Type ${typeBack} to go on:`, signal);
    if (typed === undefined) throw nobodyToAsk(request, lost);
    if (typed.trim() !== typeBack) throw notTypedBack(typed.trim(), typeBack);
  }
}

/** What is to be typed back, and what is lost by it. */
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
    const lost = safeLine(printMarkers(asked.lost)).replaceAll("\n", "\n  ");
    const typeBack = asked.typeBack.trim();
    questions.set(typeBack, [...new Set([...(questions.get(typeBack) ?? []), lost])]);
  }
  return questions;
}

/** Whatever is wrong with a question is the playbook's fault. */
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
    throw new FurrowError("E_PLAYBOOK", {
      what: `"confirm" of the playbook threw ${error.name}`,
      where: { host, ...sourceOf(userFrame(error) ?? source) },
      current: error.message,
      hint: "Correct the line named above",
      cause: error,
    });
  }
  // An empty text would be typed back by pressing Enter, and a secret one must not be shown.
  const { lost, typeBack } = asked ?? { lost: "nothing", typeBack: "nothing" };
  if (typeof lost === "string" && typeof typeBack === "string" && typeBack.trim() !== "" && !holdsSecret(typeBack)) {
    return asked ?? undefined;
  }
  throw new FurrowError("E_PLAYBOOK", {
    what: '"confirm" of the playbook returns nothing that can be typed back',
    where: { host, ...sourceOf(source) },
    expected: '{ lost: "what is lost", typeBack: "a name that is not secret" }, or undefined',
    hint: "Return the name of what will be lost as typeBack",
  });
}

function sourceOf(source: string | undefined): { source?: string } {
  return source === undefined ? {} : { source };
}

function nobodyToAsk({ playbook }: Pick<RunRequest, "playbook">, lost: readonly string[]): FurrowError {
  return new FurrowError("E_USAGE", {
    what: `"${playbook.name}" asks before something is lost, but there is no terminal on which to ask`,
    current: `will be lost for good: ${lost.join("; ")}`,
    hint: "Pass --yes if you agree, or start it from a terminal",
  });
}

function notTypedBack(typed: string, typeBack: string): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `${typeBack} was not typed back, so nothing is touched`,
    current: typed === "" ? "nothing" : JSON.stringify(typed),
    expected: JSON.stringify(typeBack),
    hint: `Run it again and type ${typeBack}, or give --yes`,
  });
}
