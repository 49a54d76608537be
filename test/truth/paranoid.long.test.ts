import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ArtifactServer, type Lab, labDown, labUp, runInHost, serveArtifacts } from "../../src/lab/index.ts";
import { covered } from "../covered.ts";
import { playbookOf, Screens } from "../screens/screens.ts";
import watchedBook from "./playbook-watched.ts";
import { Fixtures, labEnv, readRun, settled } from "./scene.ts";
import { idle, watchedBy } from "./watched.ts";

const name = "paranoid";
const inventory = join(import.meta.dirname, "../../inventory/lab.ts");
const screens = new Screens("", "");
let lab: Lab;
let server: ArtifactServer;
let fixtures: readonly Fixtures[];

beforeAll(async () => {
  lab = await labUp({ hosts: 2, name, disks: 2, replace: true });
  await Promise.all(lab.hosts.map(settled));
  const first = new Fixtures(screens, "watched");
  fixtures = [first, new Fixtures(screens, "unwatched", first)];
  server = await serveArtifacts(first.folder, lab.gateway);
  const before = readFileSync(join(import.meta.dirname, "before.sh"), "utf8");
  for (const host of lab.hosts) await runInHost(host, ["sh"], { input: before });
});
afterAll(async () => {
  await server.close();
  await labDown({ name });
  screens.remove();
});

/** Runs a playbook on one of the identical hosts. */
const furrow = (which: number, playbook: string, ...flags: string[]): ReturnType<Screens["run"]> =>
  screens.run(["run", playbook, "-i", inventory, "--limit", lab.hosts[which]!.name, ...flags], labEnv(lab));

/** The part of a title that is the same on both identical hosts. */
const common = (which: number, title: string): string =>
  title.replaceAll(fixtures[which]!.folder, "FIXTURES").replaceAll(lab.hosts[which]!.name, "HOST");

test("no task in the catalogue makes undeclared changes, and a watched run has the same results as any other run", async () => {
  const runs = await Promise.all(
    ["--paranoid", "--verbose"].map(async (flag, which) => {
      const { folder, digest } = fixtures[which]!;
      const vars = [`fixtures=${folder}`, `web=${server.url}`, `digest=${digest}`].flatMap((text) => ["--var", text]);
      const playbook = join(import.meta.dirname, "playbook-watched.ts");
      const told = readRun(await furrow(which, playbook, ...vars, "--json", flag));
      const disks = ["/dev/a", "/dev/b"];
      const modules = watchedBy(watchedBook, { fixtures: folder, web: server.url, digest, disks });
      // An index that was just fetched for a package is still fresh, so packageIndex is watched in the test for
      // repositories instead.
      modules.delete("packageIndex");
      expect(idle(modules, told.ends)).toEqual([]);
      return told.ends.map(
        ({ title, outcome, error = "" }) => `${outcome} ${common(which, title)} ${error.split(" ")[0] ?? ""}`,
      );
    }),
  );
  const [watched = [], unwatched] = runs;
  expect(watched.filter((end) => end.startsWith("failed"))).toEqual([
    expect.stringContaining("E_REFUSED"), // The disk that already contains data.
  ]);
  expect(watched).toEqual(unwatched);
  const changed = watched.filter((end) => end.startsWith("changed")).length;
  expect(changed).toBeGreaterThan(50);
  covered(`${changed} tasks on a lab host under --paranoid: no undeclared effect`);
});

test("a watched run finds a task that declares too little", async () => {
  const tasks = `command({ command: "useradd eve", unless: ["id", "-u", "eve"], disturbs: ["user:eve", "group:eve"] }),
file({ path: "/home/eve", state: "directory" }),
fileLine({ path: "/etc/passwd", line: "root:x:0:0:root:/root:/bin/bash" }),`;
  screens.put("lying.ts", playbookOf(tasks, { imports: "command, file, fileLine" }));
  const seen = await furrow(0, join(screens.folder, "lying.ts"), "--paranoid");
  expect(seen.code).toBe(1);
  expect(seen.text).toMatch(/E_UNDECLARED {2}the step "sh -c 'useradd eve'" changed file:\/etc\/passwd/);
});
