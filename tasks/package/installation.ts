import {
  type Absent,
  absent,
  isFresh,
  type KnownAfterApply,
  type Manager,
  type ManagerName,
  match,
  packageDependents,
  packageIndexState,
  type PackageIndexState,
  packageManager,
  packageOffer,
  type PackageOffer,
  packageState,
  type PackageState,
  peek,
  task,
  type Wanted,
} from "../../src/authoring.ts";
import { noManager, obstacleToInstall, obstacleToRemove } from "./obstacle.ts";
import { namesOf, type PackageParams, params } from "./params.ts";
import { providedFacts } from "./provides.ts";
import { transaction } from "./transaction.ts";

/** Packages in one transaction; `latest` as of the index the host has. What people call is `package`. */
export const installation = task({
  name: "package",
  summary: "Keep packages installed, at a version, at the latest one, or absent",
  params,
  examples: [
    { name: ["nginx", "parted"] },
    { name: "nginx", version: "1.22.1-9" },
    { name: "chrony", state: "latest" },
    { name: "sshpass", state: "absent" },
  ],
  title: (p) => `package ${namesOf(p).join(", ")}`,
  cannotPredict:
    "which other packages come along, and what the scripts of packages do: units, users, files below /usr and the packages' own places are decided by this task. In a fresh or old package index names are looked up only once the run has fetched it.",
  mayProvide: providedFacts,
})
  .facts((p) => ({
    manager: packageManager(),
    packages: namesOf(p).map((name) => packageState(name, p.manager)),
  }))
  .facts((p, { packages }) => {
    const names = namesOf(p);
    const wrong = names.some((_, at) => isWrong(p, packages[at]));
    const installs = p.state === "latest" || (p.state === "present" && wrong);
    return {
      ...(p.state === "present" && wrong && { index: packageIndexState(p.manager) }),
      offers: installs ? names.map((name) => packageOffer(name, p.manager)) : [],
      dependents:
        p.state === "absent" && wrong && !p.dependents ? names.map((name) => packageDependents(name, p.manager)) : [],
    };
  })
  .want((p, now) => {
    if (managerOf(p, now.manager) === undefined) return noManager();
    const names = namesOf(p);
    const trusted = p.state === "latest" || !isStale(p, peek(now, "index"));
    const offers = trusted ? peek(now, "offers") : undefined;
    const wants: Wanted<PackageState>[] = [];
    for (const [at, name] of names.entries()) {
      const state = now.packages[at];
      const offer = typeof offers === "symbol" ? undefined : offers?.[at];
      if (state === undefined) continue;
      const want = wantOf(p, state, p.state === "latest" ? now.offers[at] : undefined);
      wants.push(want);
      if (match(state, want) === "same") continue;
      const refusal =
        p.state === "absent"
          ? obstacleToRemove(name, state, now.dependents[at], names)
          : obstacleToInstall(name, state, offer, versionOf(p));
      if (refusal) return refusal;
    }
    return { packages: wants };
  })
  .steps((p, { change, now }) => {
    const manager = managerOf(p, now.manager);
    const wrong = namesOf(p).filter((_, at) => change.packages?.[at] !== undefined);
    if (manager === undefined) return [];
    const { waitSeconds } = p;
    if (p.state === "absent") {
      const label = `remove ${wrong.join(", ")} with ${manager}`;
      return [transaction({ manager, action: "remove", packages: wrong, waitSeconds, label })];
    }
    const version = versionOf(p);
    const packages = version === undefined ? wrong : wrong.map((name) => `${name}=${version}`);
    const refreshFirst = p.state === "present" && isStale(p, peek(now, "index"));
    const label = `${refreshFirst ? "fetch the package index and " : ""}install ${packages.join(", ")} with ${manager}`;
    return [
      transaction({ manager, action: "install", packages, refreshFirst, recommends: p.recommends, waitSeconds, label }),
    ];
  })
  .notes((p, { packages }, results) => [
    ...namesOf(p).flatMap((name, at) => {
      const state = packages[at];
      if (state === undefined || state.version !== absent || state.providedBy.length === 0) return [];
      return [`${name} is provided by ${state.providedBy.join(" and ")}`];
    }),
    ...(results ?? []).flatMap(({ exitCode }) => zypperNotes[exitCode] ?? []),
  ]);

/** What zypper says by an exit code that is a success (zypper(8), "EXIT CODES"). */
const zypperNotes: Readonly<Record<number, string>> = {
  102: "installed; zypper says that the host needs a reboot for it",
  103: "installed; zypper says that it was itself renewed and should be run again",
  106: "installed; zypper could not refresh one of the repositories",
  107: "installed; but a script of a package failed, as zypper's output tells",
};

function managerOf(p: PackageParams, found: Absent | Manager): ManagerName | undefined {
  return p.manager ?? (found === absent ? undefined : found.name);
}

function versionOf(p: PackageParams): string | undefined {
  return "version" in p ? p.version : undefined;
}

/** True where the index must be fetched before it is asked; what cannot be known yet was just fetched by an earlier task. */
function isStale(p: PackageParams, index: PackageIndexState | KnownAfterApply | undefined): boolean {
  if (p.state !== "present" || typeof index !== "object") return false;
  return typeof peek(index, "ageMinutes") === "number" && !isFresh(index, p.indexMaxAgeSeconds);
}

function isWrong(p: PackageParams, state: PackageState | undefined): boolean {
  return state !== undefined && match(state, wantOf(p, state, undefined)) !== "same";
}

function wantOf(p: PackageParams, state: PackageState, offer: PackageOffer | undefined): Wanted<PackageState> {
  if (p.state === "absent") return { version: absent, ...(state.providedBy.length === 0 && { present: false }) };
  const newest = p.state === "latest" ? offer?.candidate : undefined;
  const version = versionOf(p) ?? (newest === absent ? undefined : newest);
  return { present: true, complete: true, ...(version !== undefined && { version }) };
}
