import type { PackagePlan } from "../../src/facts/catalogue.ts";
import { namesOf, type PackageParams } from "./params.ts";

/** Returns the request to the package manager for some of a task's names, as the words of a PackageRequest. */
export function wordsFor(p: PackageParams, names: readonly string[]): string[] {
  if (p.state === "absent") return [...names.map((name) => `${name}-`), ...(p.dependents ? ["~~"] : [])];
  const version = "version" in p ? p.version : undefined;
  const suffix = p.state === "latest" ? "=@" : version === undefined ? "" : `=${version}`;
  return [...names.map((name) => `${name}${suffix}`), ...p.mayRemove.map((name) => `~${name}`)];
}

/** Returns the packages that a plan removes even though the task neither removes them nor allows their removal. */
export function unasked(p: PackageParams, plan: PackagePlan): readonly string[] {
  if (p.state === "absent" && p.dependents) return [];
  const asked = p.state === "absent" ? namesOf(p) : p.mayRemove;
  return plan.removes.filter((name) => !asked.includes(name) && !asked.includes(withoutArchitecture(name)));
}

/**
 * Lists everything that a plan does beyond the task's request, one sentence for each item, so that users are not
 * surprised.
 */
export function comesAlong(p: PackageParams, plan: PackagePlan): string[] {
  const own = new Set(namesOf(p).flatMap((name) => [name, withoutArchitecture(name)]));
  const others = (list: readonly string[], sign: string): string =>
    list
      .filter((entry) => !own.has(withoutArchitecture(entry.split("=")[0] ?? "")))
      .map((entry) => entry.replace("=", " ").replace("=", sign))
      .join(", ");
  const parts = [
    ["also installs", others(plan.installs, " → ")],
    ["also upgrades", others(plan.upgrades, " → ")],
    ["also downgrades", others(plan.downgrades, " → ")],
    ["also removes", others(plan.removes, " → ")],
  ] as const;
  return parts.flatMap(([verb, list]) => (list === "" ? [] : [`${verb} ${list}`]));
}

function withoutArchitecture(name: string): string {
  return name.split(":")[0] ?? name;
}
