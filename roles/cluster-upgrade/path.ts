import { releaseName } from "../cluster/releases.ts";

/** A release in parts: `v1.9.0-rc1` is [1, 9, 0] and `rc1`. */
interface Release {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** Empty for a final release. */
  readonly candidate: string;
}

/**
 * Says why Harvester cannot be upgraded from one version to another; undefined if it can. Harvester is upgraded by at
 * most one minor version at a time, never downgraded, and from a release candidate only within its own release
 * (Harvester docs, "Upgrade paths"; harvester/go-common, version/upgrade.go).
 */
export function pathProblem(from: string, to: string): string | undefined {
  const [old, wanted] = [parts(from), parts(to)];
  if (old === undefined) return `${from} is not a release, and Harvester upgrades only releases`;
  if (wanted === undefined) return `${to} is not a release`;
  const [major, minor] = old.numbers;
  const order = compared(old, wanted);
  if (order === 0) return undefined;
  if (order > 0) return `${to} is older than ${from}, and Harvester cannot be downgraded`;
  const isSame = old.numbers.join() === wanted.numbers.join();
  if (old.candidate !== "" && !isSame) {
    const own = `v${old.numbers.join(".")} or a later candidate for it`;
    return `${from} is a release candidate, which Harvester upgrades only to ${own}`;
  }
  if (wanted.numbers[0] === major && wanted.numbers[1] <= minor + 1) return undefined;
  return `${to} is more than one minor version above ${from}: upgrade to v${major}.${minor + 1} first`;
}

function parts(version: string): Release | undefined {
  if (!releaseName.test(version)) return undefined;
  const [numbers = "", ...rest] = version.slice(1).split("-");
  const [major = 0, minor = 0, patch = 0] = numbers.split(".").map(Number);
  return { numbers: [major, minor, patch], candidate: rest.join("-") };
}

/** Compares two releases as semver does: a release candidate comes before its release. */
function compared(one: Release, other: Release): number {
  for (const [at, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (one.candidate === other.candidate) return 0;
  if (one.candidate === "") return 1;
  if (other.candidate === "") return -1;
  return one.candidate.localeCompare(other.candidate, "en", { numeric: true });
}
