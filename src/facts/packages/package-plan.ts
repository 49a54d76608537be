import { FurrowError } from "../../core/errors.ts";
import type { HostFact } from "../../core/facts/fact.ts";
import { ask, defineKind, type NumberedQuestion } from "../../core/facts/kind.ts";
import { shellQuote } from "../../core/host/step.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { packageKey } from "./package.ts";
import { findManager, type ManagerName, managers } from "./packaging.ts";
import { planFunctions } from "./package-plan-script.ts";

/**
 * The actions that a host's package manager would take for a task, according to its own simulation with the host's
 * current index.
 */
export interface PackagePlan {
  /** The packages that would be newly installed, including dependencies, as `NAME=VERSION`. */
  readonly installs: readonly string[];
  /** The packages that would be upgraded, as `NAME=OLD=NEW`; for zypper only `NAME`. */
  readonly upgrades: readonly string[];
  /** The packages that would be downgraded, as `NAME=OLD=NEW`; for zypper only `NAME`. */
  readonly downgrades: readonly string[];
  /** The names of all installed packages that would be removed. */
  readonly removes: readonly string[];
  /** Why the manager would refuse, in its own words; absent if it would not refuse. */
  readonly reason: string | Absent;
  /** True if the manager would accept the request alone, but not together with the requests of earlier tasks. */
  readonly clash: boolean;
}

/** A request to a package manager. */
export interface PackageRequest {
  /**
   * `NAME` (installed), `NAME=VERSION`, `NAME=@` (the newest), `NAME-` (removed), `~NAME` (may be removed; `~~`: any).
   */
  readonly words: readonly string[];
  /** Whether weak dependencies are installed; if undefined, the manager decides. */
  readonly recommends?: boolean | undefined;
}

/**
 * Asks what a transaction would do, without taking a lock or fetching anything. Requests that are read together are
 * simulated in order, as the single transaction that they will become: each answer takes the earlier requests into
 * account.
 */
export function packagePlan({ words, recommends }: PackageRequest, manager?: ManagerName): HostFact<PackagePlan> {
  const weak = recommends === undefined ? "default" : recommends ? "yes" : "no";
  return ask(packagePlanKind, packageKey([weak, ...words].join(" "), manager));
}

/** Package plans. A single simulation usually covers all of a host's package tasks that would change something. */
export const packagePlanKind = defineKind<PackagePlan>({
  name: "packagePlan",
  summary: "What the host's package manager would install, upgrade, downgrade and remove, or why it would refuse",
  facets: {},
  advice: true,
  deadlineSeconds: 120,
  read: planScript,
  functions: planFunctions,
  parse(lines, question) {
    const { reason, clash } = lines;
    if (reason === undefined) {
      throw new FurrowError("E_FACT", {
        what: `could not find out what the package manager would do for ${question.key}`,
      });
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

/** The requests as lines: `NUMBER WEAK WORD…`. */
function requests(questions: readonly NumberedQuestion[]): string {
  const request = (key: string): string => key.replace(/^[a-z]+\//, "");
  return shellQuote(questions.map(({ number, key }) => `${number} ${request(key)}`).join("\n"));
}
