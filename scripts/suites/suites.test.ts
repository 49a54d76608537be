import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import config from "../../vitest.config.ts";
import {
  deadline,
  longSuites,
  type Machine,
  obstacle,
  packagesToInstall,
  runTurn,
  separateSuites,
  type Suite,
  suites,
  turns,
} from "./suites.ts";

const bare: Machine = { platform: "linux", root: true, debian: true, has: () => false };

function leftOut(machine: Machine): Record<string, string | undefined> {
  return Object.fromEntries(suites.map((suite) => [suite.name, obstacle(suite, machine)]));
}

const none = {
  unit: undefined,
  programs: undefined,
  host: undefined,
  lab: undefined,
  property: undefined,
};

it("runs every suite as root on a bare Debian system", () => {
  expect(leftOut(bare)).toEqual(none);
});

it("leaves out the lab suite if not run as root, and suites whose sshd is missing", () => {
  expect(leftOut({ ...bare, root: false, has: () => true })).toEqual({ ...none, lab: "needs root" });
  expect(leftOut({ ...bare, root: false })["host"]).toContain(
    "needs /usr/sbin/sshd (Debian: apt-get install openssh-server",
  );
  expect(suites.flatMap((suite) => packagesToInstall(suite, { ...bare, root: false }))).toEqual([]);
});

it("runs only suites without hosts if the system is not Linux", () => {
  const message = "needs Linux, but this is darwin";
  expect(leftOut({ ...bare, platform: "darwin" })).toEqual({
    ...none,
    host: message,
    lab: message,
  });
});

const names = (chosen: typeof suites): string[][] => turns(chosen).map((turn) => turn.map(({ name }) => name));

it("runs the longest suites of a turn in parallel from the beginning of the turn, and prints the output of the first one first", () => {
  expect(names(suites)).toEqual([["unit"], ["programs", "host", "lab", "property"]]);
  expect(names(suites.filter(({ name }) => name === "lab"))).toEqual([["lab"]]);
  expect(names(longSuites)).toEqual([
    ["long", "property-long", "cloud", "plain-ssh", "deploy-torture", "ha", "acceptance", "torture", "package"],
  ]);
});

it("runs a suite with a long preparation only through its own script", () => {
  expect(separateSuites.map(({ name }) => name)).toEqual(["kube"]);
  for (const { name } of separateSuites)
    expect([...suites, ...longSuites].map((suite) => suite.name)).not.toContain(name);
});

it("begins a suite only after the suites that it follows have ended, and at once if those are not selected", async () => {
  const log: string[] = [];
  const run = async ({ name }: Suite): Promise<string> => {
    log.push(`${name} begins`);
    // Long enough for another suite to begin first if it does not wait.
    for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
    log.push(`${name} ends`);
    return name;
  };
  const [first] = turns(suites.filter(({ name }) => name !== "unit"));
  expect(await runTurn(first ?? [], run)).toEqual(first?.map(({ name }) => name));
  for (const { name, after = [] } of first ?? [])
    for (const before of after) expect(log.indexOf(`${name} begins`)).toBeGreaterThan(log.indexOf(`${before} ends`));
  expect(log.indexOf("lab begins")).toBeLessThan(log.indexOf("programs ends"));
  log.length = 0;
  await runTurn(
    longSuites.filter(({ name }) => name === "torture"),
    run,
  );
  expect(log).toEqual(["torture begins", "torture ends"]);
});

it("lists each suite after those that it follows, in the same turn", () => {
  for (const turn of [...turns(suites), ...turns(longSuites)])
    for (const [at, { after = [] }] of turn.entries())
      for (const name of after) expect(turn.slice(0, at).map((suite) => suite.name)).toContain(name);
});

it("gives each suite its share of the time that is left for it and the longest chain of suites after it", () => {
  const suite = (name: string, minutes?: number, ...after: string[]): Suite => ({
    name,
    after,
    about: name,
    packages: [],
    programs: [],
    needsRoot: false,
    retries: 0,
    ...(minutes === undefined ? {} : { minutes }),
  });
  const long = suite("long", 10);
  const turn = [long, suite("ha", 20, "long"), suite("torture", 10, "ha"), suite("package", undefined, "long")];
  const [, ha, torture, whole] = turn;
  expect(deadline(long, turn, 1000, 5000)).toBe(2000);
  // The suite before it took more than its share of the time.
  expect(ha && deadline(ha, turn, 2600, 5000)).toBe(4200);
  expect(torture && deadline(torture, turn, 4000, 5000)).toBe(5000);
  expect(whole && deadline(whole, turn, 1000, 5000)).toBeUndefined();
});

it("limits the time of every suite that takes minutes", () => {
  const whole = [...suites, ...longSuites].filter(({ minutes }) => minutes === undefined).map(({ name }) => name);
  expect(whole).toEqual(["unit", "programs"]);
});

it("runs the property suites at low priority, each in parallel with another suite", () => {
  const beside = [...suites, ...longSuites].filter(({ yields }) => yields).map(({ name, beside }) => [name, beside]);
  expect(beside).toEqual([
    ["property", "programs"],
    ["property-long", "long"],
  ]);
});

it("finds every test file that vitest.config.ts names", () => {
  const named = (config.test?.projects ?? []).flatMap((project) =>
    typeof project === "object" && "test" in project ? (project.test?.include ?? []) : [],
  );
  const paths = named.filter((name) => !name.includes("*"));
  expect(paths.length).toBeGreaterThanOrEqual(8);
  expect(paths.filter((path) => !existsSync(join(import.meta.dirname, "../..", path)))).toEqual([]);
});
