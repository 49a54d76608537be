import { describe, expect, test } from "vitest";
import { absent, type Node, playbook } from "../../../authoring.ts";
import { simulate } from "../../../testing/index.ts";
import * as t from "../../../../tasks/index.ts";

const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const state = {
  "package:tools": { present: false },
  "program:own-tool": absent,
  "program:crontab": absent,
  "program:cron": absent,
  "program:crond": absent,
  "program:/usr/sbin/cron": absent,
  "program:/usr/sbin/crond": absent,
  "program:/lib/systemd/system-generators/systemd-crontab-generator": absent,
  "program:nft": absent,
  "program:curl": absent,
  "program:wget": absent,
  "program:tar": absent,
  "program:virsh": absent,
  "program:firewall-cmd": absent,
  "file:/srv": directory,
  "file:/srv/a.tar": { type: "file", mode: "0644", owner: "root", group: "root", text: "" },
  "file:/etc/cron.d": directory,
};

const ends = async (mode: "check" | "apply", tasks: () => Node[], more: object = {}): Promise<string[]> => {
  const book = playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks }] });
  const done = await simulate(book, { hosts: ["a"], mode, state: { a: { ...state, ...more } } });
  return done.tasks.map((end) => end.error?.failure.details?.[0] ?? end.outcome);
};

const checksum = `sha256:${"0".repeat(64)}`;
const account = {
  uid: 1500,
  group: "app",
  groups: [],
  member: { app: true },
  home: "/home/app",
  shell: "/bin/sh",
  comment: "",
};
const program = (name: string) => ({ [`program:${name}`]: { path: `/usr/bin/${name}` } });

/** Tasks that each need a thing that a package may or may not provide, with the state in which that thing exists. */
const needs: readonly { what: string; node: () => Node; refusal: string; there: object; named?: string[] }[] = [
  {
    what: "the owner of a file",
    node: () => t.file({ path: "/srv/a", content: "", owner: "app" }),
    refusal: "no-user",
    there: { "user:app": account },
    named: ["user:app"],
  },
  {
    what: "the group of a directory",
    node: () => t.file({ path: "/srv/d", state: "directory", group: "app" }),
    refusal: "no-group",
    there: { "group:app": { gid: 1500, primaryOf: [] } },
    named: ["group:app"],
  },
  {
    what: "the owner of a crontab",
    node: () => t.cron({ name: "job", schedule: "@daily", command: "true", user: "app" }),
    refusal: "no-user",
    there: { "user:app": account, ...program("crontab"), ...program("cron") },
    named: ["user:app", "program:crontab", "program:cron"],
  },
  {
    what: "crontab",
    node: () => t.cron({ name: "job", schedule: "@daily", command: "true" }),
    refusal: "no-cron",
    there: { ...program("crontab"), ...program("cron") },
    named: ["program:crontab", "program:cron"],
  },
  {
    what: "a cron daemon for a file in /etc/cron.d",
    node: () => t.cron({ name: "job", schedule: "@daily", command: "true", file: "job" }),
    refusal: "no-cron",
    there: { "file:/usr/sbin/crond": { ...directory, type: "file", mode: "0755" } },
    named: ["program:cron"],
  },
  {
    what: "the program of a command",
    node: () => t.command({ command: ["own-tool"], always: true }),
    refusal: "no-program",
    there: program("own-tool"),
    named: ["program:own-tool"],
  },
  {
    what: "the user of a command",
    node: () => t.command({ command: ["true"], always: true, user: "app" }),
    refusal: "no-user",
    there: { "user:app": account },
    named: ["user:app"],
  },
  {
    what: "the directory of a command",
    node: () => t.command({ command: ["true"], always: true, cwd: "/usr/share/tools" }),
    refusal: "no-cwd",
    there: { "file:/usr/share/tools": directory },
  },
  {
    what: "nft",
    node: () => t.nftables({ table: "t", rules: "chain c { }", persist: false }),
    refusal: "no-nft",
    there: program("nft"),
    named: ["program:nft"],
  },
  {
    what: "a program that downloads",
    node: () => t.download({ url: "https://example.org/a", path: "/srv/b", checksum }),
    refusal: "no-program",
    there: program("curl"),
    named: ["program:curl"],
  },
  {
    what: "a program that unpacks",
    node: () => t.unarchive({ archive: "/srv/a.tar", path: "/srv/x", creates: "/srv/x/y" }),
    refusal: "no-program",
    there: program("tar"),
    named: ["program:tar"],
  },
  {
    what: "the source of a bind mount",
    node: () => t.mount({ path: "/srv/m", source: "/usr/share/tools", fileSystem: "none", options: "bind" }),
    refusal: "source-missing",
    there: { "file:/usr/share/tools": directory },
  },
];

describe("check mode after a command that may create a group", () => {
  const tasks = () => [
    t.command({ command: ["true"], always: true, mayProvide: ["group:app", "file:/srv/homes"] }),
    t.user({ name: "ana", groups: ["app"], home: "/srv/homes/ana" }),
  ];
  const group = { "group:app": { gid: 1500, primaryOf: [] } };
  const homes = (type: string) => ({ "file:/srv/homes": { ...directory, type } });

  test("is not certain that the group of a new user exists", async () => {
    expect(await ends("apply", tasks)).toEqual(["changed", "refused: group-not-found"]);
    expect(await ends("check", tasks)).toEqual(["changed", "undecided"]);
  });

  test("is not certain that a new home has a parent directory", async () => {
    expect(await ends("check", tasks, group)).toEqual(["changed", "undecided"]);
    for (const mode of ["check", "apply"] as const) {
      expect(await ends(mode, tasks, { ...group, ...homes("directory") })).toEqual(["changed", "changed"]);
      expect(await ends(mode, tasks, { ...group, ...homes("file") })).toEqual([
        "changed",
        "refused: parent-not-directory",
      ]);
    }
  });
});

describe("check mode after a command that may create a directory", () => {
  const tasks = () => [
    t.command({ command: ["true"], always: true, mayProvide: ["file:/srv/app"] }),
    t.file({ path: "/srv/app/data", state: "directory" }),
  ];

  test.each([
    { type: "directory", end: "changed" },
    { type: "file", end: "refused: parent-not-directory" },
  ])("knows the outcome of a task that creates a directory below an existing $type", async ({ type, end }) => {
    for (const mode of ["check", "apply"] as const) {
      expect(await ends(mode, tasks, { "file:/srv/app": { ...directory, type } })).toEqual(["changed", end]);
    }
  });

  test("is not certain of a directory below a missing one", async () => {
    expect(await ends("check", tasks)).toEqual(["changed", "undecided"]);
  });
});

describe("check mode after a package that may provide what a later task needs", () => {
  test.each(needs)("is not certain of $what, without which the run refuses the task", async ({ node, refusal }) => {
    const tasks = () => [t.package({ name: "tools" }), node()];
    expect(await ends("apply", tasks)).toEqual(["changed", `refused: ${refusal}`]);
    expect(await ends("check", tasks)).toEqual(["changed", "undecided"]);
  });

  test.each(needs)("is certain of $what if it already exists", async ({ node, there }) => {
    const tasks = () => [t.package({ name: "tools" }), node()];
    for (const mode of ["check", "apply"] as const) {
      expect(await ends(mode, tasks, there)).toEqual(["changed", "changed"]);
    }
  });

  test.each(needs.filter(({ named }) => named !== undefined))(
    "is certain of $what if the playbook declares that the package provides it",
    async ({ node, named = [] }) => {
      const tasks = () => [t.package({ name: "tools", provides: named }), node()];
      expect(await ends("check", tasks)).toEqual(["changed", "changed"]);
    },
  );

  test.each([
    { name: "own-tool", node: () => t.command({ command: ["own-tool"], always: true }) },
    { name: "cron", node: () => t.cron({ name: "job", schedule: "@daily", command: "true" }) },
    { name: "nftables", node: () => t.nftables({ table: "t", rules: "chain c { }", persist: false }) },
    { name: "curl", node: () => t.download({ url: "https://example.org/a", path: "/srv/b", checksum }) },
  ])("is certain of the program that the package $name is named after or known for", async ({ name, node }) => {
    expect(await ends("check", () => [t.package({ name }), node()])).toEqual(["changed", "changed"]);
  });
});
