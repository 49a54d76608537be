import { expect, test } from "vitest";
import * as t from "../../../tasks/index.ts";
import type { Node } from "../../core/authoring/group.ts";
import { playbook } from "../../core/authoring/playbook.ts";
import { simulate, type SimulateOptions } from "../../testing/simulate.ts";

const list = { path: "/etc/apt/sources.list.d/more.list", content: "# none\n" };
const there = { "file:/etc/apt/sources.list.d/more.list": { text: "# none\n" } };
const repo = { manager: "apt", name: "local", uris: ["file:///srv/repo"], suites: ["./"], trusted: true } as const;
const rpm = { "packageManager:host": { name: "zypper" }, "packageIndex:host": { manager: "zypper" } };

/** The outcomes of tasks in check mode, which must equal those of the run that follows. */
async function outcomes(tasks: () => Node[], state: object = {}): Promise<string[]> {
  const book = playbook({ name: "implied", plays: [{ hosts: "a", tasks }] });
  const options = { hosts: ["a"], state: { a: state } } as SimulateOptions;
  const told = async (mode: "check" | "apply"): Promise<string[]> =>
    (await simulate(book, { ...options, mode })).tasks.map(({ outcome }) => outcome);
  const check = await told("check");
  const run = await told("apply");
  expect(run.map((end, at) => (check[at] === "undecided" ? "undecided" : end))).toEqual(check);
  return check;
}

test.each([
  { title: "a new source list", tasks: () => [t.file(list)], index: "changed" },
  {
    title: "a removed source list",
    tasks: () => [t.file({ path: list.path, state: "absent" })],
    state: there,
    index: "changed",
  },
  {
    title: "a source list with a changed line",
    tasks: () => [t.fileLine({ path: list.path, line: "# one" })],
    state: there,
    index: "changed",
  },
  {
    title: "a source list with a changed mode",
    tasks: () => [t.file({ ...list, mode: "0600" })],
    state: there,
    index: "ok",
  },
  {
    title: "a source list of another package manager",
    tasks: () => [t.file({ path: "/etc/yum.repos.d", state: "directory" })],
    index: "ok",
  },
  {
    title: "a file next to the source lists",
    tasks: () => [t.file({ path: "/etc/apt/more", content: "" })],
    index: "ok",
  },
  { title: "a preferences file", tasks: () => [t.file({ path: "/etc/apt/preferences", content: "" })], index: "ok" },
  {
    title: "a removal of all source lists",
    tasks: () => [t.file({ path: "/etc/apt", state: "absent", recursive: true })],
    index: "undecided",
  },
  {
    title: "a removed repository",
    tasks: () => [t.packageRepo({ manager: "apt", name: "more", state: "absent" })],
    state: { "file:/etc/apt/sources.list.d/more.sources": { text: "" } },
    index: "changed",
  },
  {
    title: "a moved repository, whose task fetches the index",
    tasks: () => [t.packageRepo(repo)],
    state: { "file:/etc/apt/sources.list.d/local.sources": { text: "URIs: file:///srv/old\n" } },
    index: "ok",
  },
  {
    title: "a disabled zypper repository",
    tasks: () => [t.packageRepo({ manager: "zypper", name: "more", url: "http://a/", enabled: false })],
    state: rpm,
    index: "changed",
  },
])("after $title, packageIndex is $index, in check mode and in a run", async ({ tasks, state, index }) => {
  expect(await outcomes(() => [...tasks(), t.packageIndex({})], state)).toEqual(["changed", index]);
});

test("knows that the index is fresh after a task that changes the source lists and then fetches the index", async () => {
  const tasks = () => [t.file(list), t.packageRepo(repo), t.packageIndex({}), t.packageRepo(repo)];
  expect(await outcomes(tasks)).toEqual(["changed", "changed", "ok", "ok"]);
});

test("fetches the index again for a correct repository if an earlier task added a source list", async () => {
  const book = () => [t.packageRepo(repo)];
  const first = await simulate(playbook({ name: "first", plays: [{ hosts: "a", tasks: book }] }), { hosts: ["a"] });
  expect(await outcomes(book, first.state["a"])).toEqual(["ok"]);
  expect(await outcomes(() => [t.file(list), ...book()], first.state["a"])).toEqual(["changed", "changed"]);
});

test("installs a package after its source list was added, although the earlier index lacks it", async () => {
  const state = { "packageOffer:tree": { candidate: Symbol.for("furrow.absent"), versions: [], providers: [] } };
  const none = () => [t.package({ name: "tree" })];
  const book = playbook({ name: "none", plays: [{ hosts: "a", tasks: none }] });
  const { result } = await simulate(book, { hosts: ["a"], state: { a: state }, mode: "check" });
  expect(result.errors[0]?.code).toBe("E_REFUSED");
  expect(await outcomes(() => [t.file(list), ...none()], state)).toEqual(["changed", "changed"]);
});

test("does not know the offered versions after a change to apt's preferences", async () => {
  const tasks = () => [
    t.file({ path: "/etc/apt/preferences", content: "" }),
    t.package({ name: "a", state: "latest" }),
  ];
  expect(await outcomes(tasks)).toEqual(["changed", "ok", "undecided"]);
});

test("is undecided about a file in the home of a user who is removed together with the home", async () => {
  const user = { uid: 1500, gid: 1500, group: "qu", groups: [], shell: "/bin/sh", home: "/home/qu", comment: "" };
  const home = { type: "directory", owner: "qu", group: "qu", mode: "0700" };
  const state = { "user:qu": user, "file:/home/qu": home };
  const tasks = () => [
    t.user({ name: "qu", state: "absent", removeHome: true }),
    t.file({ path: "/home/qu/z", content: "" }),
  ];
  const book = playbook({ name: "gone", plays: [{ hosts: "a", tasks }] });
  const { tasks: ends } = await simulate(book, { hosts: ["a"], state: { a: state }, mode: "check" });
  expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
});

test("does not report a service as ok after its package is removed", async () => {
  const unit = { load: "loaded", active: "active", sub: "running", file: "enabled", state: "started", enabled: true };
  const state = { "package:nginx": { present: true, version: "1.22" }, "unit:nginx.service": unit };
  const service = () => t.service({ name: "nginx", state: "started" });
  const removal = () => t.package({ name: "nginx", state: "absent" });
  expect(await outcomes(() => [removal(), service()], state)).toEqual(["changed", "undecided"]);
  expect(await outcomes(() => [removal(), service()], { "unit:nginx.service": unit })).toEqual(["ok", "ok"]);
});
