import { describe, expect, test } from "vitest";
import { absent, type Node, playbook } from "../../../authoring.ts";
import { simulate } from "../../../testing/index.ts";
import * as t from "../../../../tasks/index.ts";

const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const ana = {
  uid: 1000,
  group: "ana",
  groups: [],
  member: { ana: true },
  home: "/home/ana",
  shell: "/bin/sh",
  comment: "",
};
const state = {
  "user:ana": ana,
  "group:ana": { gid: 1000, primaryOf: ["ana"] },
  "file:/home": directory,
  "file:/home/ana": { ...directory, owner: "ana", group: "ana" },
  "file:/var/mail/ana": absent,
  "removal:/home/ana": {
    type: "directory",
    real: "/home/ana",
    uses: [],
    empty: true,
    files: 0,
    directories: 0,
    bytes: 0,
    devices: 0,
  },
};

const ends = async (mode: "check" | "apply", tasks: () => Node[], more: object = {}): Promise<string[]> => {
  const book = playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks }] });
  const done = await simulate(book, { hosts: ["a"], mode, state: { a: { ...state, ...more } } });
  return done.tasks.map((end) => end.error?.failure.details?.[0] ?? end.outcome);
};
const brings = (...facts: string[]) => t.command({ command: ["true"], always: true, mayProvide: facts });
const leaves = () => t.user({ name: "ana", state: "absent", removeHome: true });

describe("the removal of a user with its home, in check mode", () => {
  test.each(["file:/var/mail/ana", "file:/home/ana"])(
    "is undecided if an earlier command may create %s with another owner",
    async (fact) => {
      const more = { "file:/home/ana": absent, "removal:/home/ana": absent };
      expect(await ends("check", () => [brings(fact), leaves()], more)).toEqual(["changed", "undecided"]);
    },
  );

  test("is also refused in check mode if another user owns the home, whatever a command may create", async () => {
    const more = { "file:/home/ana": directory };
    for (const mode of ["check", "apply"] as const) {
      expect(await ends(mode, () => [brings("file:/home/ana"), leaves()], more)).toEqual([
        "changed",
        "refused: home-not-own",
      ]);
    }
  });

  test("is predicted if nothing may change the home", async () => {
    for (const mode of ["check", "apply"] as const) expect(await ends(mode, () => [leaves()])).toEqual(["changed"]);
  });

  test("is undecided if an earlier task puts another user's home inside this home", async () => {
    const tasks = () => [t.user({ name: "bob", home: "/home/ana/bob" }), leaves()];
    expect(await ends("check", tasks)).toEqual(["changed", "undecided"]);
    const elsewhere = () => [t.user({ name: "bob" }), leaves()];
    expect(await ends("check", elsewhere)).toEqual(["changed", "changed"]);
  });
});

describe("the group of a new user, in check mode", () => {
  const tasks = () => [t.user({ name: "app" }), t.file({ path: "/srv/app", state: "directory", group: "app" })];

  test.each([
    {
      what: "is known if the host gives each user a separate group",
      text: "# UMASK\nUSERGROUPS_ENAB yes\n",
      end: "changed",
    },
    { what: "is unknown if the host does not", text: "USERGROUPS_ENAB\tno\n", end: "undecided" },
  ])("$what", async ({ text, end }) => {
    const more = { "file:/etc/login.defs": { type: "file", mode: "0644", owner: "root", group: "root", text } };
    expect(await ends("check", tasks, { "file:/srv": directory, ...more })).toEqual(["changed", end]);
  });
});
