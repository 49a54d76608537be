import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/kind.ts";
import { shellQuote } from "../../core/step.ts";
import { type Absent, absent } from "../../core/symbols.ts";
import { packageKey } from "./package.ts";
import { findManager, type ManagerName, managers } from "./packaging.ts";
import { planFunctions } from "./package-plan-script.ts";

/** What a host's package manager would do for a task, by its own simulation and with the index that the host has. */
export interface PackagePlan {
  /** `NAME=VERSION` of each package that would be new, dependencies included. */
  readonly installs: readonly string[];
  /** `NAME=OLD=NEW`; for zypper the name alone. */
  readonly upgrades: readonly string[];
  /** `NAME=OLD=NEW`; for zypper the name alone. */
  readonly downgrades: readonly string[];
  /** Names of installed packages that would go, whoever asked for it. */
  readonly removes: readonly string[];
  /** Why the manager would not do it, in its own words; absent where it would. */
  readonly reason: string | Absent;
  /** True where it would do it alone, and not together with what the tasks before it want. */
  readonly clash: boolean;
}

/** What is asked of a package manager. */
export interface PackageRequest {
  /** `NAME` (installed), `NAME=VERSION`, `NAME=@` (the newest), `NAME-` (removed), `~NAME` (may be removed; `~~`: any). */
  readonly words: readonly string[];
  /** Whether weak dependencies come too; undefined leaves that to the manager. */
  readonly recommends?: boolean | undefined;
}

/**
 * Asks what a transaction would do; takes no lock and fetches nothing. Requests that are read together are simulated
 * together, in their order, as the one transaction that they become: each is answered in view of those before it.
 */
export function packagePlan({ words, recommends }: PackageRequest, manager?: ManagerName): HostFact<PackagePlan> {
  const weak = recommends === undefined ? "default" : recommends ? "yes" : "no";
  return ask(packagePlanKind, packageKey([weak, ...words].join(" "), manager));
}

/** Plans: usually one simulation for all of a host's package tasks that are to change something. */
export const packagePlanKind = defineKind<PackagePlan>({
  name: "packagePlan",
  summary: "What the host's package manager would install, upgrade, downgrade and remove, and why it would refuse",
  facets: {},
  advice: true,
  deadlineSeconds: 120,
  read: planScript,
  functions: planFunctions,
  parse(lines, question) {
    const { reason, clash } = lines;
    if (reason === undefined) {
      throw new FurrowError("E_FACT", { what: `the package manager did not say what it would do for ${question.key}` });
    }
    const list = (name: string): string[] => (lines[name] ?? "").split(" ").filter(Boolean);
    return {
      installs: list("installs"),
      upgrades: list("upgrades"),
      downgrades: list("downgrades"),
      removes: list("removes"),
      reason: reason === "" ? absent : reason,
      clash: clash === "yes",
    };
  },
  print: (value) => ({
    clash: value.clash ? "yes" : "no",
    downgrades: value.downgrades.join(" "),
    installs: value.installs.join(" "),
    reason: value.reason === absent ? "" : value.reason,
    removes: value.removes.join(" "),
    upgrades: value.upgrades.join(" "),
  }),
});

function planScript(questions: readonly NumberedQuestion[]): string {
  const isGiven = (key: string, manager: ManagerName): boolean => key.startsWith(`${manager}/`);
  const given = managers.flatMap((manager) => {
    const own = questions.filter(({ key }) => isGiven(key, manager));
    return own.length === 0 ? [] : [`m=${manager}; w=${requests(own)}; plan`];
  });
  const open = questions.filter(({ key }) => !managers.some((manager) => isGiven(key, manager)));
  return [...given, ...(open.length === 0 ? [] : [findManager, `w=${requests(open)}; plan`])].join("\n");
}

/** `NUMBER WEAK WORD…` lines. */
function requests(questions: readonly NumberedQuestion[]): string {
  const request = (key: string): string => key.replace(/^[a-z]+\//, "");
  return shellQuote(questions.map(({ number, key }) => `${number} ${request(key)}`).join("\n"));
}
