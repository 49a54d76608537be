import {
  absent,
  type KnownAfterApply,
  type PackageOffer,
  type PackageState,
  type Refusal,
  refuse,
} from "../../src/authoring.ts";
import type { PackageDependents, PackagePlan } from "../../src/facts/catalogue.ts";
import { namesOf, type PackageParams } from "./params.ts";
import { unasked } from "./request.ts";

/** Why a package that must change cannot: held, not on offer, offered by several. Undefined where it can. */
export function obstacleToInstall(
  name: string,
  state: PackageState,
  offer: PackageOffer | KnownAfterApply | undefined,
  version: string | undefined,
): Refusal | undefined {
  if (state.held) return held(name, state);
  if (offer === undefined || typeof offer === "symbol") return undefined;
  if (version !== undefined) return offer.versions.includes(version) ? undefined : noVersion(name, version, offer);
  if (offer.candidate !== absent || offer.providers.length === 1) return undefined;
  if (offer.providers.length > 1) {
    return refuse({
      code: "package-is-virtual",
      message: `${name} is not a package: it is a name that ${offer.providers.length} packages provide`,
      current: offer.providers.join(", "),
      expected: "the name of one package",
      hint: "Name the one you want",
    });
  }
  return refuse({
    code: "package-not-found",
    message: `no package named ${name} is in the host's package index`,
    hint: "Correct the name, or put packageRepo for its repository, or packageIndex, before this task",
  });
}

/** Why a package cannot be removed. Undefined where it can. */
export function obstacleToRemove(
  name: string,
  state: PackageState,
  dependents: PackageDependents | undefined,
  removed: readonly string[],
): Refusal | undefined {
  if (state.held) return held(name, state);
  const others = dependents?.packages.filter((other) => !removed.includes(other)) ?? [];
  if (others.length === 0) return undefined;
  return refuse({
    code: "package-needed",
    message: `${name} cannot go alone: installed packages need it`,
    current: others.join(", "),
    expected: `no installed package that needs ${name}`,
    hint: "Name these packages too, or say dependents: true to remove all that need it",
  });
}

/** Why the host's package manager, by its own simulation, would not do what a task needs, or would do more. */
export function obstacleInPlan(p: PackageParams, plan: PackagePlan): Refusal | undefined {
  const names = namesOf(p).join(", ");
  if (plan.clash) {
    return refuse({
      code: "package-clash",
      message: `${names}: this cannot go together with what earlier tasks of the play do`,
      current: plan.reason === absent ? "" : plan.reason,
      expected: "package tasks that can all be true of one host",
      hint: "Remove one of the packages from the play, or name what may go in mayRemove",
    });
  }
  if (plan.reason !== absent) {
    return refuse({
      code: "package-refused",
      message: `the host's package manager says that it cannot do this: ${names}`,
      current: plan.reason,
      hint: "Fix what it names: a held package, a version, a repository that is missing",
    });
  }
  const more = unasked(p, plan);
  if (more.length === 0) return undefined;
  return refuse({
    code: p.state === "absent" ? "package-needed" : "package-removes",
    message:
      p.state === "absent"
        ? `${names} cannot go alone: installed packages need it`
        : `${names} cannot be installed without removing other packages`,
    current: more.join(", "),
    expected: "nothing removed that the task does not name",
    hint:
      p.state === "absent"
        ? "Name these packages too, or say dependents: true to remove all that need it"
        : `Keep these packages and drop this task, or allow it: mayRemove: ${JSON.stringify(more)}`,
  });
}

/** No package manager that furrow knows is on the host. */
export function noManager(): Refusal {
  return refuse({
    code: "no-package-manager",
    message: "the host has no package manager that furrow knows",
    expected: "one of apt-get, zypper, dnf, pacman on its PATH",
    hint: "Leave this host out, or name the manager with the param manager",
  });
}

function held(name: string, { version }: PackageState): Refusal {
  return refuse({
    code: "package-held",
    message: `${name} is held${version === absent ? "" : ` at version ${version}`}, and would have to change`,
    hint: "Release it first (apt-mark unhold, zypper removelock), or take it out of this task",
  });
}

function noVersion(name: string, version: string, { versions }: PackageOffer): Refusal {
  return refuse({
    code: "version-not-found",
    message: `version ${version} of ${name} is not in the host's package index`,
    current: versions.length === 0 ? "no version at all" : versions.join(", "),
    expected: version,
    hint: "Write one of the versions on offer, in full, or refresh the index with packageIndex before this task",
  });
}
