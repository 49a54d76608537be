import { existsSync } from "node:fs";
import { debianPackages, isDebian, missingPackages } from "./debian-packages.ts";

/** A group of tests with the same needs; its name is a vitest project. */
export interface Suite {
  readonly name: string;
  /** A description of what the suite tests, for the summary. */
  readonly about: string;
  /** Debian packages that the suite can use; the missing ones are installed if the user is root. */
  readonly packages: readonly string[];
  /** Programs that all of the suite's tests need. Tests that need more skip themselves. */
  readonly programs: readonly string[];
  readonly needsRoot: boolean;
  /**
   * The number of times that a failed test is repeated: 0 if the result depends only on code, 1 if daemons, clocks and
   * other work on the machine affect it. If the repeated test still fails, its whole file is repeated once, because a
   * test may need what earlier tests of its file did. The summary names every test that was repeated.
   */
  readonly retries: number;
  /**
   * The suite with which it runs in parallel, in the same turn. The two suites share only the processors, and spend
   * most of their time waiting.
   */
  readonly beside?: string;
  /**
   * The suites of its turn that must finish before it starts, because together they would keep the processors too busy
   * for tests that measure time, or would use this machine as a host at the same time.
   */
  readonly after?: readonly string[];
  /**
   * True if the suite runs at low priority: it only computes, and the suites that run in parallel with it measure time.
   */
  readonly yields?: true;
  /**
   * About how many minutes the suite takes on two fast processors. If the command has a deadline, the time that is left
   * is divided among the suites in proportion to these numbers; the suite runs its files in random order, and leaves
   * out those for which there is no time. A suite without this number always runs in full.
   */
  readonly minutes?: number;
}

/** The suites that `npm test` runs, in this order. Longer suites have their own `test:…` scripts. */
export const suites: readonly Suite[] = [
  {
    name: "unit",
    about: "pure functions, tables of task cases, screens",
    packages: debianPackages.unit,
    programs: [],
    needsRoot: false,
    retries: 0,
  },
  {
    name: "programs",
    about: "scripts for hosts, in four shells; ssh, curl and furrow as processes; many simulated runs",
    packages: debianPackages.unit,
    programs: [],
    needsRoot: false,
    retries: 1,
  },
  {
    name: "host",
    about: "real sshd, sudo, shells, loop devices",
    packages: debianPackages.host,
    programs: ["/usr/sbin/sshd"],
    needsRoot: false,
    retries: 1,
    beside: "programs",
    after: ["programs"],
    minutes: 8,
  },
  {
    name: "lab",
    about: "whole throwaway hosts",
    packages: debianPackages.lab,
    programs: [],
    needsRoot: true,
    retries: 1,
    beside: "programs",
    minutes: 8,
  },
  {
    name: "property",
    about: "engine against oracle",
    packages: [],
    programs: [],
    needsRoot: false,
    retries: 0,
    beside: "programs",
    after: ["programs"],
    yields: true,
    minutes: 5,
  },
];

/** Suites that run only through a script named `test:…`, or all together with `npm run longer`. */
export const longSuites: readonly Suite[] = [
  {
    name: "long",
    about: "runs killed at many points, on disks and in labs; all operations of package managers",
    packages: [...new Set([...debianPackages.host, ...debianPackages.lab, ...debianPackages.long])],
    programs: [],
    needsRoot: true,
    retries: 1,
    minutes: 10,
  },
  {
    name: "property-long",
    about: "engine against oracle on more playbooks, against an independent program on random trees; mutants of both",
    packages: [],
    programs: [],
    needsRoot: true,
    retries: 0,
    beside: "long",
    yields: true,
    minutes: 14,
  },
  {
    name: "cloud",
    about: "machines created, found and destroyed on fakes of EC2 (one of them moto) and Compute Engine",
    packages: debianPackages.lab,
    programs: [],
    needsRoot: false,
    retries: 1,
    beside: "long",
    minutes: 10,
  },
  {
    name: "plain-ssh",
    about: "connections with unpatched ssh2",
    packages: debianPackages.host,
    programs: ["/usr/sbin/sshd"],
    needsRoot: false,
    retries: 1,
    beside: "long",
    after: ["cloud"],
    minutes: 8,
  },
  {
    name: "deploy-torture",
    about: "furrow killed at many points in a Harvester deployment, a host that loses power, obstacles to a shutdown",
    packages: debianPackages.lab,
    programs: [],
    needsRoot: true,
    retries: 1,
    beside: "long",
    after: ["cloud"],
    minutes: 9,
  },
  {
    name: "ha",
    about: "a Harvester cluster of three nodes, starting from an empty host",
    packages: debianPackages.lab,
    programs: [],
    needsRoot: true,
    retries: 1,
    beside: "long",
    after: ["long"],
    minutes: 10,
  },
  {
    name: "acceptance",
    about: "a Harvester host that has been used before, with disks, networks and nodes in every state",
    packages: [...new Set([...debianPackages.host, ...debianPackages.lab])],
    programs: [],
    needsRoot: true,
    retries: 1,
    beside: "long",
    after: ["long", "cloud"],
    minutes: 12,
  },
  {
    name: "torture",
    about: "connections lost and furrow killed at many points in a run",
    packages: debianPackages.lab,
    programs: [],
    needsRoot: true,
    retries: 1,
    beside: "long",
    after: ["ha"],
    minutes: 3,
  },
  {
    name: "package",
    about: "the built package, installed into an empty project",
    packages: [],
    programs: [],
    needsRoot: false,
    retries: 0,
    beside: "long",
    after: ["acceptance"],
    minutes: 3,
  },
];

/**
 * Suites that run only through a script of their own: building what they need takes too long for a suite that runs
 * everywhere.
 */
export const separateSuites: readonly Suite[] = [
  {
    name: "kube",
    about: "Kubernetes objects on a real API server, which is built from Debian's source package the first time",
    packages: debianPackages.kube,
    programs: [],
    needsRoot: true,
    retries: 1,
    minutes: 30,
  },
];

/** The suites in the order in which they run; those that run in parallel form one list. */
export function turns(chosen: readonly Suite[]): Suite[][] {
  const lists: Suite[][] = [];
  for (const suite of chosen) {
    const partner = lists.find(([first]) => first !== undefined && first.name === suite.beside);
    if (partner === undefined) lists.push([suite]);
    else partner.push(suite);
  }
  return lists;
}

/**
 * Runs the suites of one turn in parallel, but starts each one only when the suites that it must follow have finished.
 */
export async function runTurn<T>(
  turn: readonly Suite[],
  run: (suite: Suite, position: number) => Promise<T>,
): Promise<T[]> {
  const ends = new Map<string, Promise<T>>();
  for (const [position, suite] of turn.entries()) {
    const before = (suite.after ?? []).flatMap((name) => ends.get(name) ?? []);
    ends.set(
      suite.name,
      Promise.all(before).then(() => run(suite, position)),
    );
  }
  return Promise.all(ends.values());
}

/**
 * The time, in milliseconds since 1970, by which a suite that starts now must start its last file: the suite gets its
 * share of the time until `end`, and the suites that follow it get the rest. Undefined if the suite always runs
 * completely.
 */
export function deadline(suite: Suite, turn: readonly Suite[], now: number, end: number): number | undefined {
  if (suite.minutes === undefined) return undefined;
  return now + ((end - now) * suite.minutes) / minutesFrom(suite, turn);
}

/** The minutes that the suite and the longest chain of suites after it take. */
function minutesFrom({ name, minutes = 0 }: Suite, turn: readonly Suite[]): number {
  const next = turn.filter(({ after = [] }) => after.includes(name));
  return minutes + Math.max(0, ...next.map((suite) => minutesFrom(suite, turn)));
}

/** The machine on which the suites run. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly root: boolean;
  readonly debian: boolean;
  has(program: string): boolean;
}

/** The current machine. */
export const thisMachine: Machine = {
  platform: process.platform,
  root: process.getuid?.() === 0,
  debian: isDebian(),
  has: existsSync,
};

/** Why a suite cannot run on a machine; undefined if it can. */
export function obstacle(suite: Suite, machine: Machine): string | undefined {
  if (suite.programs.length === 0 && !suite.needsRoot) return undefined;
  if (machine.platform !== "linux") return `needs Linux, but this is ${machine.platform}`;
  if (suite.needsRoot && !machine.root) return "needs root";
  const lacking = suite.programs.filter((program) => !machine.has(program));
  if (lacking.length === 0 || (machine.root && machine.debian)) return undefined;
  return `needs ${lacking.join(", ")} (Debian: apt-get install ${suite.packages.join(" ")})`;
}

/** Debian packages to install before a suite: none if all are installed or if they cannot be installed. */
export function packagesToInstall(suite: Suite, machine: Machine): string[] {
  return machine.root && machine.debian ? missingPackages(suite.packages) : [];
}
