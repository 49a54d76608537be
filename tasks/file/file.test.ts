import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { absent, type FileState, secret } from "../../src/authoring.ts";
import { explain } from "../../src/testing/explain.ts";
import { file } from "./file.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const directory: FileState = { type: "directory", mode: "0755", owner: "root", group: "root" };
const motd = { type: "file", mode: "0644", owner: "root", group: "root", sha256: sha256("Welcome\n") } as const;
const wanted = { path: "/etc/motd", content: "Welcome\n", mode: "0644", owner: "root" } as const;

describe("file with content", () => {
  test("writes a file that is absent", () => {
    const { change, described, steps } = explain(file(wanted), { path: absent, parent: directory });
    expect(change).toEqual({ "file:/etc/motd": [""] });
    expect(described).toEqual(["write /etc/motd"]);
    expect(steps).toEqual([{ step: "writeFile", path: "/etc/motd", text: "Welcome\n", mode: "0644", owner: "root" }]);
  });

  test("leaves a correct file alone", () => {
    expect(explain(file(wanted), { path: motd, parent: directory }).steps).toEqual([]);
  });

  test.each([
    { differing: "content", now: { ...motd, sha256: sha256("old") }, change: ["sha256"], steps: ["write /etc/motd"] },
    { differing: "mode", now: { ...motd, mode: "0600" }, change: ["mode"], steps: ["set 0644 root on /etc/motd"] },
    { differing: "owner", now: { ...motd, owner: "www" }, change: ["owner"], steps: ["set 0644 root on /etc/motd"] },
  ])("corrects a wrong $differing and nothing else", ({ now, change, steps }) => {
    const explained = explain(file(wanted), { path: now, parent: directory });
    expect(explained.change).toEqual({ "file:/etc/motd": change });
    expect(explained.described).toEqual(steps);
  });

  test("does not change the mode or owner if it is not given", () => {
    const now = { ...motd, mode: "0600", owner: "nobody" };
    expect(explain(file({ path: "/etc/motd", content: "Welcome\n" }), { path: now, parent: directory }).steps).toEqual(
      [],
    );
  });

  test("refuses a missing parent directory", () => {
    expect(explain(file(wanted), { path: absent, parent: absent }).refusal?.code).toBe("no-parent");
  });

  test("refuses to replace a directory", () => {
    const { refusal } = explain(file(wanted), { path: directory, parent: directory });
    expect(refusal?.code).toBe("in-the-way");
    expect(refusal?.hint).toMatch(
      /^Remove it by hand, or with file\(.*state: "absent", recursive: true }\) in another playbook$/,
    );
  });

  test("reads a keyed hash only if the content is secret", () => {
    const token = secret.env("TOKEN");
    const call = file({ path: "/etc/token", content: `token=${token}\n` });
    const [stage] = call.module.stages;
    expect(stage?.({ path: "/etc/token", state: "file", content: `${token}` } as never, {} as never)).toMatchObject({
      path: { kind: "file", key: "/etc/token", secret: true },
    });
  });
});

describe("file with state: absent", () => {
  test("refuses to remove a directory in which a disk is mounted", () => {
    const goes = { type: "directory", real: "/srv/old", uses: ["mount:/srv/old/data"] };
    const planned = explain(file({ path: "/srv/old", state: "absent", recursive: true }), { path: directory, goes });
    expect(planned.refusal?.code).toBe("in-use");
    expect(planned.steps).toEqual([]);
  });
  test("removes a file", () => {
    expect(explain(file({ path: "/etc/motd", state: "absent" }), { path: motd, goes: absent }).described).toEqual([
      "remove /etc/motd",
    ]);
  });
  test("is ok if the path does not exist", () => {
    expect(explain(file({ path: "/etc/motd", state: "absent" }), { path: absent, goes: absent }).steps).toEqual([]);
  });
});

test("does not validate the content that the file already has", () => {
  const call = file({ path: "/etc/motd", content: "Welcome\n", validate: "true %s" });
  const sha256 = "0e90e1aa36481e399939d32680dab2005c299f2bb9c3ba6b151ac0cc821fec7a";
  expect(explain(call, { path: { ...directory, type: "file", sha256 }, parent: directory })).toMatchObject({
    steps: [],
    facts: ["file:/etc/motd", "file:/etc"],
  });
});

describe("file with state: directory or link", () => {
  test("creates a directory and its parents", () => {
    expect(
      explain(file({ path: "/srv/a/b", state: "directory", mode: "0750" }), {
        path: absent,
        parent: absent,
        above: [directory],
      }).steps,
    ).toEqual([{ step: "makeDirectory", path: "/srv/a/b", parents: true, mode: "0750" }]);
  });
  test("corrects a link that points elsewhere", () => {
    const now = { ...motd, type: "link", target: "/old" };
    const call = file({ path: "/etc/l", state: "link", target: "/new" });
    expect(explain(call, { path: now, parent: directory }).described).toEqual(["link /etc/l to /new"]);
  });
});

describe("a link among the directories above the path", () => {
  const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
  const link = { ...directory, type: "link", mode: "0777", target: "releases/7" };
  const call = file({ path: "/srv/current/app.conf", content: "x\n" });
  const now = { path: absent, parent: link };

  test("is used if it leads to a directory", () => {
    const { facts, described } = explain(call, { ...now, behind: [directory] });
    expect(facts).toEqual(["file:/srv/current/app.conf", "file:/srv/current", "file:/srv/current/"]);
    expect(described).toEqual(["write /srv/current/app.conf"]);
  });
  test.each([
    { to: "nothing", behind: absent, code: "no-parent", what: "which does not exist" },
    {
      to: "a file",
      behind: { ...directory, type: "file" },
      code: "parent-not-directory",
      what: "which is not a directory",
    },
    { to: "itself", behind: link, code: "parent-not-directory", what: "which is not a directory" },
  ])("is refused if it leads to $to", ({ behind, code, what }) => {
    const message = `/srv/current/app.conf cannot be created, because /srv/current is a link to releases/7, ${what}`;
    expect(explain(call, { ...now, behind: [behind] }).refusal).toMatchObject({ code, message });
  });
  test("is also refused if the task creates parents below the link", () => {
    const made = file({ path: "/srv/current/a/b", state: "directory" });
    const asked = { path: absent, parent: absent, above: [directory, link], behind: [absent] };
    expect(explain(made, asked).refusal?.code).toBe("no-parent");
  });
});
