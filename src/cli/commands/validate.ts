import { isFurrowError } from "../../core/errors.ts";
import { defineCommand } from "../words/command.ts";
import { loadPlaybook } from "../../load/playbook/playbook-file.ts";
import { checkTaskNames } from "../../load/playbook/task-names.ts";
import { count } from "../../report/text/words.ts";
import { clean } from "../../report/clean.ts";
import { withRepeated } from "../words/arguments.ts";
import { exitCodeOfError } from "../exit-codes.ts";
import { flagsOf } from "../words/flags.ts";
import { allCalls, planAll } from "../run/plans.ts";
import { prepareRun, type RunFlags } from "../run/request.ts";
import { checkSelection } from "../run/selection.ts";
import { print, printError, printJson, warn } from "../terminal.ts";
import { secretsNotUsedBy } from "../run/unused-secrets.ts";
import { missingVariables } from "../../load/vars/secrets.ts";
import { startTypes, warnOfSettings } from "../run/types-gate.ts";

/** The result for one playbook. */
interface Validated {
  readonly playbook: string;
  /** The error found in the playbook, apart from type errors; undefined if the playbook is correct. */
  readonly error: unknown;
  /** A summary of the check: `2 plays on 3 hosts`. */
  readonly seen: string;
}

/**
 * The `furrow validate PLAYBOOK…` command, which checks everything that can be checked without a host, including types.
 */
export const command = defineCommand({
  args: flagsOf.validate,
  async run({ args, data }) {
    const { vars, positionals } = data;
    const flags = withRepeated(args, data);
    warnOfSettings(positionals);
    const types = startTypes(positionals, flags, { isWanted: true });
    const all: Validated[] = [];
    for (const playbook of positionals) all.push(await validate({ ...flags, playbook }, vars));
    const wrongTypes = await types.errorBesides(all.map(({ error }) => error).filter(isFurrowError));
    const playbooks = all.map(({ playbook, error }) => ({
      playbook,
      ...(error !== undefined && { error: clean(error) }),
    }));
    const found = { schema: 1, playbooks, ...(wrongTypes !== undefined && { types: clean(wrongTypes) }) };
    if (args.json) printJson(found);
    for (const { playbook, error, seen } of all) {
      if (error !== undefined) printError(error, false);
      else if (!args.json) print(`${playbook}  ${wrongTypes === undefined ? "ok" : "loads"}  ${seen}\n`);
    }
    if (wrongTypes !== undefined) printError(wrongTypes, false);
    return Math.max(
      0,
      ...[...all.map(({ error }) => error), wrongTypes].map((error) =>
        error === undefined ? 0 : exitCodeOfError(error),
      ),
    );
  },
});

async function validate(flags: RunFlags, vars: readonly string[]): Promise<Validated> {
  const { playbook, inventories } = flags;
  try {
    const seen = await (inventories.length === 0 ? loadAlone(playbook) : loadWithHosts(flags, vars));
    return { playbook, error: undefined, seen };
  } catch (error) {
    return { playbook, error, seen: "" };
  }
}

/**
 * Loads a playbook without an inventory. Without an inventory there are no vars and no hosts, so the plays' functions
 * are not called.
 */
async function loadAlone(path: string): Promise<string> {
  const { playbook } = await loadPlaybook(path);
  return `${count(playbook.plays.length, "play")}; vars and tasks are checked only with an inventory (-i)`;
}

async function loadWithHosts(flags: RunFlags, vars: readonly string[]): Promise<string> {
  const signal = new AbortController().signal;
  const circumstances = { mode: "check", vars, sink: () => {}, stop: signal, kill: signal, leave: signal } as const;
  const { request, hosts, book } = await prepareRun(flags, circumstances);
  const plays = planAll(request);
  checkTaskNames(allCalls(plays));
  checkSelection(request, plays);
  const open = plays.some(({ hosts: planned }) => planned?.some(({ plan }) => plan === "facts-needed") ?? true);
  if (open) warn(`${flags.playbook}: some tasks are known only after connecting, and were not checked`);
  const missing = missingVariables(secretsNotUsedBy(request.playbook, book, hosts, plays));
  if (missing.length > 0)
    warn(`${flags.playbook}: environment variables that a run needs are not set: ${missing.join(", ")}`);
  return `${count(plays.length, "play")}, ${count(hosts.length, "host")}`;
}
