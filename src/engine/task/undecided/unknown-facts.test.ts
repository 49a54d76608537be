import { describe, expect, test } from "vitest";
import { type Node, playbook } from "../../../authoring.ts";
import { simulate } from "../../../testing/index.ts";
import * as t from "../../../../tasks/index.ts";

const anyway = { ignoreFailure: true } as const;
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const busyUser = {
  uid: 1005,
  group: "busyu",
  groups: [],
  member: {},
  home: "/home/busyu",
  shell: "/bin/sh",
  comment: "",
};
const mounted = { mounted: true, source: "tmpfs", fileSystem: "tmpfs", automount: false, entries: "none", flags: {} };
const state = {
  "accountNumber:user 1000": { name: "ana" },
  "accountNumber:user 0": { name: "root" },
  "accountNumber:group 1": { name: "daemon" },
  "user:busyu": busyUser,
  "userUse:busyu": { processes: ["sleep (812)"], guests: [] },
  "file:/home": directory,
  "file:/mnt": directory,
  "file:/mnt/new1": directory,
  "mount:/mnt/busy": mounted,
  "mountUse:/mnt/busy": { uses: ["process:812:sleep:cwd"] },
};

const ends = async (mode: "check" | "apply", tasks: () => Node[], more: object = {}): Promise<string[]> => {
  const book = playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks: tasks }] });
  const done = await simulate(book, { hosts: ["a"], mode, state: { a: { ...state, ...more } } });
  return done.tasks.map((end) => end.error?.failure.details?.[0] ?? end.outcome);
};

describe("check mode after an earlier change of the same kind", () => {
  test.each([
    {
      what: "a UID that is taken",
      tasks: () => [t.user({ name: "iris" }, anyway), t.user({ name: "jim", uid: 1000 }, anyway)],
      refusal: "number-taken",
    },
    {
      what: "the UID of root",
      tasks: () => [t.user({ name: "hank" }, anyway), t.user({ name: "carol", uid: 0 }, anyway)],
      refusal: "number-taken",
    },
    {
      what: "a GID that is taken",
      tasks: () => [t.group({ name: "gnew" }, anyway), t.group({ name: "gtaken", gid: 1 }, anyway)],
      refusal: "number-taken",
    },
    {
      what: "the removal of a user with processes",
      tasks: () => [t.user({ name: "kate" }, anyway), t.user({ name: "busyu", state: "absent" }, anyway)],
      refusal: "user-busy",
    },
    {
      what: "the unmounting of a busy mount",
      tasks: () => [
        t.mount({ path: "/mnt/new1", source: "tmpfs", fileSystem: "tmpfs" }, anyway),
        t.mount({ path: "/mnt/busy", state: "absent" }, anyway),
      ],
      refusal: "mount-busy",
    },
  ])("still refuses $what", async ({ tasks, refusal }) => {
    expect(await ends("check", tasks)).toEqual(["changed", `refused: ${refusal}`]);
  });

  test("is not certain that a UID is free after a task adds a user whose UID the host chooses", async () => {
    const tasks = () => [t.user({ name: "iris" }), t.user({ name: "jim", uid: 1001 })];
    expect(await ends("check", tasks)).toEqual(["changed", "undecided"]);
  });

  test("is not certain that an earlier task frees a UID, because a second user may share it", async () => {
    const gone = { ...busyUser, uid: 1007 };
    const tasks = () => [t.user({ name: "bob", state: "absent" }), t.user({ name: "jim", uid: 1007 })];
    const more = { "user:bob": gone, "accountNumber:user 1007": { name: "bob" } };
    expect(await ends("check", tasks, more)).toEqual(["changed", "undecided"]);
  });
});
