import type { Bound } from "../../../core/authoring/evaluate.ts";
import { FurrowError } from "../../../core/errors.ts";
import { type Fact, isControllerFact } from "../../../core/facts/fact.ts";
import type { Step } from "../../../core/host/step.ts";
import { accountOf } from "../../plan/become-account.ts";
import { directoriesAbove, fileAt, isFile } from "../../plan/parent-directories.ts";
import { absent } from "../../../core/facts/symbols.ts";
import { type Account, accountIn, type Entry, entryIn, isAllowed } from "./file-permission.ts";
import type { PlannedTask } from "../../plan/plan.ts";

/** Kinds of facts that only root can change. */
export const rootOnlyKinds: ReadonlySet<string> = new Set([
  "block-device",
  "group",
  "hostname",
  "mount",
  "nftTable",
  "package",
  "packageIndex",
  "rpmKey",
  "sysctl",
  "unit",
  "unpacked",
  "user",
]);

/**
 * By kind: a hint for tasks that run as another user. It names the param with which the task no longer needs the
 * root-only fact.
 */
export const rootlessHints: Readonly<Record<string, string>> = { unpacked: "set creates" };

/** Programs that give a step root privilege. */
export const privilegePrograms: ReadonlySet<string> = new Set(["doas", "pkexec", "su", "sudo"]);

/** The entry at a path; undefined if unknown. */
type Found = ReturnType<typeof entryIn>;

type Lookup = (fact: Fact) => { readonly value: unknown } | undefined;

/**
 * Throws E_REFUSED if root has read the facts that decide the task but the acting user is not allowed to perform the
 * steps or to read the file whose content they use. An unknown value does not cause a refusal. `user` is the session's
 * user.
 */
export function requireRights(
  task: PlannedTask,
  user: string | undefined,
  facts: readonly Bound[],
  steps: readonly Step[],
  lookup: Lookup,
): void {
  const asked = accountOf(task, user);
  const account = asked && accountIn(asked.key, lookup(asked)?.value);
  if (account === undefined || account.uid === 0) return;
  const own = steps.filter((step) => (step.user ?? account.name) === account.name);
  if (own.length === 0 || own.some((step) => step.step === "run" && privilegePrograms.has(step.argv[0] ?? ""))) return;
  for (const { fact, match, id } of facts) {
    if (match !== "same" && !isControllerFact(fact) && rootOnlyKinds.has(fact.kind)) {
      throw needsRoot(account, id, rootlessHints[fact.kind]);
    }
  }
  const at = (path: string): Found => entryIn(lookup(fileAt(path))?.value);
  for (const { fact, now } of facts) {
    if (!isFile(fact) || !fact.facets.some((facet) => facet === "text" || facet === "hidden")) continue;
    const entry = presentIn(now);
    if (entry?.type === "file" && !(reaches(account, fact.key, at) && isAllowed(account, entry, "read"))) {
      throw refusal(
        account,
        "unreadable",
        `read ${fact.key}`,
        describe(entry),
        'Set become: "root", or let the user read it',
      );
    }
  }
  for (const step of own) holdStep(account, step, facts, at);
}

function holdStep(account: Account, step: Step, facts: readonly Bound[], at: (path: string) => Found): void {
  if (!("path" in step) || step.step === "fetch") return;
  const { path } = step;
  const hint = 'Set become: "root", or change the owner or mode of the directory to permit it';
  if (!reaches(account, path, at)) throw refusal(account, "unreachable", `look up ${path}`, undefined, hint);
  const there = presentIn(facts.find(({ fact }) => isFile(fact) && fact.key === path)?.now);
  if (step.step === "setAttributes") {
    if (there && there.owner !== account.name)
      throw refusal(account, "not-the-owner", `set attributes of ${path}`, describe(there), hint);
  } else {
    const parent = directoriesAbove(path)
      .toReversed()
      .map((above) => at(above))
      .find((entry) => entry !== absent);
    if (typeof parent !== "object") return;
    if (parent.type === "directory" && !isAllowed(account, parent, "write")) {
      throw refusal(account, "unwritable", `write in the directory of ${path}`, describe(parent), hint);
    }
    const isSticky = (Number.parseInt(parent.mode, 8) & 0o1000) !== 0;
    if (isSticky && there && ![there.owner, parent.owner].includes(account.name)) {
      throw refusal(
        account,
        "unwritable",
        `replace or remove ${path}`,
        `${describe(there)} in a sticky directory`,
        hint,
      );
    }
  }
  if (step.step === "link" || step.step === "remove") return;
  const kept = step.step === "makeDirectory" ? undefined : there;
  const owner = step.owner ?? kept?.owner ?? account.name;
  const group = step.group ?? kept?.group;
  if (owner !== account.name && owner !== String(account.uid)) throw notGiven(account, path, owner);
  if (group !== undefined && !account.groups.has(group)) throw notGiven(account, path, `the group ${group}`);
}

/** True if the user may search all directories above the path, as far as that is known. */
function reaches(account: Account, path: string, at: (path: string) => Found): boolean {
  return directoriesAbove(path).every((above) => {
    const entry = at(above);
    return typeof entry !== "object" || entry.type !== "directory" || isAllowed(account, entry, "search");
  });
}

function presentIn(value: unknown): Entry | undefined {
  const found = entryIn(value);
  return found === absent ? undefined : found;
}

function describe({ type, owner, group, mode }: Entry): string {
  return `${type} of ${owner}:${group ?? "?"}, mode ${mode}`;
}

function notGiven(account: Account, path: string, to: string): FurrowError {
  return refusal(
    account,
    "not-the-owner",
    `give ${path} to ${to}`,
    undefined,
    'Set become: "root", or keep the owner and group of that user',
  );
}

function needsRoot(account: Account, id: string, or: string | undefined): FurrowError {
  const hint = `Set become: "root" for this task${or === undefined ? "" : `, or ${or}`}`;
  return refusal(account, "needs-root", `change ${id}: only root is`, undefined, hint);
}

function refusal(account: Account, code: string, act: string, current: string | undefined, hint: string): FurrowError {
  return new FurrowError("E_REFUSED", {
    what: `the task acts as ${account.name}, who is not allowed to ${act}`,
    ...(current !== undefined && { current }),
    hint,
    details: [`refused: ${code}`],
  });
}
