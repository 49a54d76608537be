import { expect, it } from "vitest";
import { type Machine, obstacle, packagesToInstall, suites, turns } from "./suites.ts";

const bare: Machine = { platform: "linux", root: true, debian: true, has: () => false };

function leftOut(machine: Machine): Record<string, string | undefined> {
  return Object.fromEntries(suites.map((suite) => [suite.name, obstacle(suite, machine)]));
}

const none = {
  unit: undefined,
  property: undefined,
  "plain-ssh": undefined,
  host: undefined,
  lab: undefined,
};

it("root on a bare Debian runs everything", () => {
  expect(leftOut(bare)).toEqual(none);
});

it("without root the lab is left out, and so are suites that need a missing sshd", () => {
  expect(leftOut({ ...bare, root: false, has: () => true })).toEqual({ ...none, lab: "needs root" });
  for (const suite of ["host", "plain-ssh"]) {
    expect(leftOut({ ...bare, root: false })[suite]).toContain(
      "needs /usr/sbin/sshd (Debian: apt-get install openssh-server",
    );
  }
  expect(suites.flatMap((suite) => packagesToInstall(suite, { ...bare, root: false }))).toEqual([]);
});

it("off Linux only suites without hosts are left", () => {
  const message = "needs Linux, and this is darwin";
  expect(leftOut({ ...bare, platform: "darwin" })).toEqual({
    ...none,
    "plain-ssh": message,
    host: message,
    lab: message,
  });
});

it("connections with unpatched ssh2 run next to the property tests, labs next to the host suite, whose output comes first; each runs alone if only it is wanted", () => {
  const names = (chosen: typeof suites): string[][] => turns(chosen).map((turn) => turn.map(({ name }) => name));
  expect(names(suites)).toEqual([["unit"], ["property", "plain-ssh"], ["host", "lab"]]);
  expect(names(suites.filter(({ name }) => name === "lab"))).toEqual([["lab"]]);
});
