import { debianPackages, isDebian, missingPackages } from "./debian-packages.ts";

/** A group of tests with the same needs; its name is a vitest project. */
export interface Suite {
  readonly name: string;
  /** What it is about, for the summary. */
  readonly about: string;
  /** Debian packages it cannot do without. */
  readonly packages: readonly string[];
  readonly needsRoot: boolean;
}

/** What `npm test` runs, in this order. Longer suites have their own `test:…` scripts. */
export const suites: readonly Suite[] = [
  { name: "unit", about: "pure functions, tasks by table, screens", packages: [], needsRoot: false },
  { name: "property", about: "engine against oracle, mutants of the engine", packages: [], needsRoot: false },
  { name: "host", about: "real sshd, sudo, shells, loop devices", packages: debianPackages.host, needsRoot: true },
  { name: "lab", about: "whole throwaway hosts", packages: debianPackages.lab, needsRoot: true },
];

/** Why a suite cannot run here, or undefined where it can (root installs missing packages by itself). */
export function obstacle(suite: Suite): string | undefined {
  if (!suite.needsRoot) return undefined;
  if (process.platform !== "linux") return `needs Linux, and this is ${process.platform}`;
  if (process.getuid?.() !== 0) return "needs root";
  const missing = missingPackages(suite.packages);
  return missing.length > 0 && !isDebian()
    ? `needs ${missing.join(", ")}, and only Debian's can be installed`
    : undefined;
}
