import {
  type Absent,
  absent,
  type KnownAfterApply,
  match,
  packageOffer,
  type PackageOffer,
  packageState,
  type PackageState,
  peek,
  type Refusal,
  task,
  type Wanted,
} from "../../src/authoring.ts";
import {
  isFresh,
  type Manager,
  type ManagerName,
  packageDependents,
  type PackageDependents,
  packageIndexRenewal,
  packageIndexState,
  type PackageIndexState,
  packageManager,
  packagePlan,
  type PackagePlan,
} from "../../src/facts/catalogue.ts";
import { noManager, obstacleInPlan, obstacleToInstall, obstacleToRemove } from "./obstacle.ts";
import { namesOf, type PackageParams, params } from "./params.ts";
import { providedFacts, certainlyProvided } from "./provides.ts";
import { comesAlong, wordsFor } from "./request.ts";
import { otherFailed, transaction } from "./transaction.ts";

/**
 * Installs, updates or removes packages in one transaction; `latest` means the latest version in the host's current
 * index. Users call the `package` composite.
 */
export const installation = task({
  name: "package",
  summary: "Keep packages installed, at a given version, at the latest version, or absent",
  params,
  examples: [
    { name: ["nginx", "parted"] },
    { name: "nginx", version: "1.22.1-9" },
    { name: "chrony", state: "latest" },
    { name: "sshpass", state: "absent" },
  ],
  title: (p) => `package ${namesOf(p).join(", ")}`,
  cannotPredict:
    "what package scripts do: later tasks about units, users, and files below /usr or in the packages' own directories depend on this one. If the package index is missing or old, names are looked up only after the run has fetched it.",
  mayProvide: providedFacts,
  certainlyProvides: certainlyProvided,
  mayTakeAway: (p) => (p.state === "absent" ? [] : p.mayRemove.map((name) => packageState(name, p.manager))),
})
  .facts((p) => ({
    manager: packageManager(),
    packages: namesOf(p).map((name) => packageState(name, p.manager)),
  }))
  .facts((p, { packages }) => {
    const names = namesOf(p);
    const isRight = wrongOf(p, packages, []).length === 0;
    const installs = p.state === "latest" || (p.state === "present" && !isRight);
    return {
      ...(p.state === "present" && !isRight && { index: packageIndexState(p.manager) }),
      offers: installs ? names.map((name) => packageOffer(name, p.manager)) : [],
      dependents:
        p.state === "absent" && !isRight && !p.dependents
          ? names.map((name) => packageDependents(name, p.manager))
          : [],
      ...(p.state !== "latest" && planFor(p, packages, [])),
    };
  })
  // For `latest`, the newest version must be known before the plan is made.
  .facts((p, { packages, offers }) => (p.state === "latest" ? planFor(p, packages, offers) : {}))
  .facts((p, now) => {
    const renews = isStale(p, peek(now, "index")) && peek(now, "index") !== undefined && now.index?.filled === true;
    return { ...(renews && obstacleNow(p, now) !== undefined && { renewal: packageIndexRenewal(p.manager) }) };
  })
  .want((p, now) => {
    if (p.manager === undefined && now.manager === absent) return noManager();
    const newest = p.state === "latest" ? now.offers : [];
    const wants = now.packages.map((state, at) => wantOf(p, state, newest[at]));
    const refusal = obstacleNow(p, now);
    if (refusal === undefined) return { packages: wants };
    if (refusal.reason.code === "package-held" || p.state === "absent") return refusal;
    // The run will fetch the index, which may then offer more than it does now, so check mode cannot decide.
    const unknown = (peek(now, "offers") as readonly unknown[]).findIndex((offer) => typeof offer === "symbol");
    if (unknown >= 0) return now.offers[unknown] === undefined ? refusal : { packages: wants };
    if (!isStale(p, peek(now, "index"))) return refusal;
    return now.index?.filled !== true || now.renewal?.near === true ? { packages: wants } : refusal;
  })
  .steps((p, { change, now }) => {
    const manager = managerOf(p, now.manager);
    const wrong = namesOf(p).filter((_, at) => change.packages?.[at] !== undefined);
    if (manager === undefined) return [];
    const { waitSeconds } = p;
    const words = wordsFor(p, wrong);
    if (p.state === "absent") {
      const label = `remove ${wrong.join(", ")} with ${manager}`;
      return [transaction({ manager, action: "change", words, waitSeconds, label })];
    }
    const version = versionOf(p);
    const packages = version === undefined ? wrong : wrong.map((name) => `${name}=${version}`);
    const refreshFirst = p.state === "present" && isStale(p, peek(now, "index"));
    if (wrongOf(p, now.packages, p.state === "latest" ? now.offers : []).length === 0) {
      const label = `mark ${wrong.join(", ")} as explicitly installed with ${manager}`;
      return [transaction({ manager, action: "mark", words, waitSeconds, label })];
    }
    const label = `${refreshFirst ? "fetch the package index and " : ""}install ${packages.join(", ")} with ${manager}`;
    return [
      transaction({ manager, action: "change", words, refreshFirst, recommends: p.recommends, waitSeconds, label }),
    ];
  })
  .notes((p, now, results) => [
    ...namesOf(p).flatMap((name, at) => {
      const state = now.packages[at];
      if (state === undefined || peek(state, "version") !== absent || state.providedBy.length === 0) return [];
      return [`${name} is provided by ${state.providedBy.join(" and ")}`];
    }),
    ...(now.plan === undefined || now.plan.reason !== absent ? [] : comesAlong(p, now.plan)),
    ...(results ?? []).flatMap(({ exitCode }) => exitNotes[exitCode] ?? []),
  ]);

/** The notes for exit codes that mean success: zypper's own codes (zypper(8), "EXIT CODES") and furrow's. */
const exitNotes: Readonly<Record<number, string>> = {
  102: "installed; zypper reports that the host must be rebooted",
  103: "installed; zypper reports that it was itself updated and should be run again",
  106: "installed; zypper could not refresh one of the repositories",
  107: "installed, but a package script failed: see zypper's output",
  [otherFailed]: "done, but another package on this host could not be set up: see the output",
};

/** What a task knows about a host before it decides. */
interface Sight {
  readonly packages: readonly PackageState[];
  readonly offers: readonly PackageOffer[];
  readonly dependents: readonly PackageDependents[];
  readonly plan?: PackagePlan;
}

/** Explains why the task cannot be done with the current index; ignores facts that are not known yet. */
function obstacleNow(p: PackageParams, now: Sight): Refusal | undefined {
  const names = namesOf(p);
  const offers = peek(now, "offers") as readonly (PackageOffer | KnownAfterApply)[];
  const wrong = wrongOf(p, now.packages, p.state === "latest" ? now.offers : []).filter((name) => {
    const state = now.packages[names.indexOf(name)];
    return state !== undefined && typeof peek(state, "held") === "boolean";
  });
  for (const name of wrong) {
    const at = names.indexOf(name);
    const state = now.packages[at] as PackageState;
    const refusal =
      p.state === "absent"
        ? obstacleToRemove(name, state, now.dependents[at], names)
        : obstacleToInstall(name, state, offers[at], versionOf(p));
    if (refusal) return refusal;
  }
  return wrong.length === 0 || typeof peek(now, "plan") !== "object" || now.plan === undefined
    ? undefined
    : obstacleInPlan(p, now.plan);
}

function managerOf(p: PackageParams, found: Absent | Manager): ManagerName | undefined {
  return p.manager ?? (found === absent ? undefined : found.name);
}

function versionOf(p: PackageParams): string | undefined {
  return "version" in p ? p.version : undefined;
}

/** True if the index must be fetched before use. If its state is not known yet, an earlier task has just fetched it. */
function isStale(p: PackageParams, index: PackageIndexState | KnownAfterApply | undefined): boolean {
  if (p.state !== "present" || typeof index !== "object") return false;
  const isKnown = typeof peek(index, "ageMinutes") === "number" && typeof peek(index, "outdated") === "boolean";
  return isKnown && !isFresh(index, p.indexMaxAgeSeconds);
}

/**
 * Returns the names of packages that are not in the desired state, except dependencies that only need a mark, because
 * marking does not need a transaction.
 */
function wrongOf(p: PackageParams, packages: readonly PackageState[], offers: readonly PackageOffer[]): string[] {
  return namesOf(p).filter((_, at) => isWrong(p, packages[at], offers[at]));
}

function isWrong(p: PackageParams, state: PackageState | undefined, offer: PackageOffer | undefined): boolean {
  if (state === undefined) return false;
  const { manual: _noted, ...want } = wantOf(p, state, offer);
  // Parts that are not known yet are skipped here; the comparison of the complete desired state covers them.
  return Object.entries(want).some(([part, wanted]) => {
    const found = peek(state, part as keyof PackageState);
    return found !== undefined && match(found, wanted) === "differs";
  });
}

/** Returns the fact that shows what the transaction would do, if one is needed. */
function planFor(p: PackageParams, packages: readonly PackageState[], offers: readonly PackageOffer[]) {
  const wrong = wrongOf(p, packages, offers);
  const recommends = p.state === "absent" ? undefined : p.recommends;
  return { ...(wrong.length > 0 && { plan: packagePlan({ words: wordsFor(p, wrong), recommends }, p.manager) }) };
}

type WantedPackage = Extract<Wanted<PackageState>, object>;

function wantOf(p: PackageParams, state: PackageState, offer: PackageOffer | undefined): WantedPackage {
  if (p.state === "absent") {
    const providers = peek(state, "providedBy");
    return { version: absent, ...((!Array.isArray(providers) || providers.length === 0) && { present: false }) };
  }
  const newest = p.state === "latest" && offer !== undefined ? peek(offer, "candidate") : undefined;
  const version = versionOf(p) ?? (typeof newest === "string" ? newest : undefined);
  // A name that only another package provides is not itself a package, so it cannot be marked.
  const isItself = peek(state, "version") !== absent || peek(state, "present") === false;
  return {
    present: true,
    complete: true,
    ...(isItself && { manual: true }),
    ...(version !== undefined && { version }),
  };
}
