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

/**
 * Explains why a package that must change cannot be changed: it is held, or not available, or several packages provide
 * the name. Undefined if it can be changed.
 */
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
      hint: "Name the package you want",
    });
  }
  return refuse({
    code: "package-not-found",
    message: `no package named ${name} is in the host's package index`,
    hint: "Correct the name, or, before this task, add its repository with packageRepo or refresh the index with packageIndex",
  });
}

/** Explains why a package cannot be removed. Undefined if it can be. */
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
    message: `${name} cannot be removed alone: installed packages need it`,
    current: others.join(", "),
    expected: `no installed package that needs ${name}`,
    hint: "Name these packages too, or set dependents: true to remove all that need it",
  });
}

/** Refuses if a simulation by the host's package manager does not do what the task needs, or does more. */
export function obstacleInPlan(p: PackageParams, plan: PackagePlan): Refusal | undefined {
  const names = namesOf(p).join(", ");
  if (plan.clash) {
    return refuse({
      code: "package-clash",
      message: `the task for ${names} contradicts earlier tasks in the play`,
      current: plan.reason === absent ? "" : plan.reason,
      expected: "package tasks that do not contradict each other",
      hint: "Remove one of the packages from the play, or list what may be removed in mayRemove",
    });
  }
  if (plan.reason !== absent) {
    return refuse({
      code: "package-refused",
      message: `the host's package manager refuses to change ${names}`,
      current: plan.reason,
      hint: "Fix the cause, such as a held package, a wrong version or a missing repository",
    });
  }
  const more = unasked(p, plan);
  if (more.length === 0) return undefined;
  return refuse({
    code: p.state === "absent" ? "package-needed" : "package-removes",
    message:
      p.state === "absent"
        ? `${names} cannot be removed alone: installed packages need it`
        : `${names} cannot be installed without removing other packages`,
    current: more.join(", "),
    expected: "no removal of packages that the task does not name",
    hint:
      p.state === "absent"
        ? "Name these packages too, or set dependents: true to remove all that need it"
        : `Keep these packages and remove this task, or allow their removal: mayRemove: ${JSON.stringify(more)}`,
  });
}

/** Refuses a host without a supported package manager. */
export function noManager(): Refusal {
  return refuse({
    code: "no-package-manager",
    message: "the host has no package manager that furrow supports",
    expected: "one of apt-get, zypper, dnf or pacman on its PATH",
    hint: "Exclude this host, or set the manager param",
  });
}

function held(name: string, { version }: PackageState): Refusal {
  return refuse({
    code: "package-held",
    message: `${name} is held${version === absent ? "" : ` at version ${version}`}, but would have to change`,
    hint: "Release it first (apt-mark unhold, zypper removelock), or remove it from this task",
  });
}

function noVersion(name: string, version: string, { versions }: PackageOffer): Refusal {
  return refuse({
    code: "version-not-found",
    message: `version ${version} of ${name} is not in the host's package index`,
    current: versions.length === 0 ? "no version" : versions.join(", "),
    expected: version,
    hint: "Give one of the offered versions in full, or refresh the index with packageIndex before this task",
  });
}
