import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import config from "../../vitest.config.ts";
import { longSuites, type Machine, obstacle, packagesToInstall, suites, turns } from "./suites.ts";

const bare: Machine = { platform: "linux", root: true, debian: true, has: () => false };

function leftOut(machine: Machine): Record<string, string | undefined> {
  return Object.fromEntries(suites.map((suite) => [suite.name, obstacle(suite, machine)]));
}

const none = {
  unit: undefined,
  programs: undefined,
  "plain-ssh": undefined,
  host: undefined,
  lab: undefined,
  property: undefined,
};

it("runs every suite as root on a bare Debian system", () => {
  expect(leftOut(bare)).toEqual(none);
});

it("leaves out the lab suite if not run as root, and suites whose sshd is missing", () => {
  expect(leftOut({ ...bare, root: false, has: () => true })).toEqual({ ...none, lab: "needs root" });
  for (const suite of ["host", "plain-ssh"]) {
    expect(leftOut({ ...bare, root: false })[suite]).toContain(
      "needs /usr/sbin/sshd (Debian: apt-get install openssh-server",
    );
  }
  expect(suites.flatMap((suite) => packagesToInstall(suite, { ...bare, root: false }))).toEqual([]);
});

it("runs only suites without hosts if the system is not Linux", () => {
  const message = "needs Linux, and this is darwin";
  expect(leftOut({ ...bare, platform: "darwin" })).toEqual({
    ...none,
    "plain-ssh": message,
    host: message,
    lab: message,
  });
});

it("runs plain-ssh in parallel with programs, and lab and property in parallel with host, whose output comes first", () => {
  const names = (chosen: typeof suites): string[][] => turns(chosen).map((turn) => turn.map(({ name }) => name));
  expect(names(suites)).toEqual([["unit"], ["programs", "plain-ssh"], ["host", "lab", "property"]]);
  expect(names(suites.filter(({ name }) => name === "lab"))).toEqual([["lab"]]);
  expect(names(longSuites)).toEqual([
    ["long", "property-long", "cloud"],
    ["ha", "acceptance"],
    ["torture", "deploy-torture", "package"],
  ]);
});

it("runs the property suites at low priority, each in parallel with another suite", () => {
  const beside = [...suites, ...longSuites].filter(({ yields }) => yields).map(({ name, beside }) => [name, beside]);
  expect(beside).toEqual([
    ["property", "host"],
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
