import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ArtifactServer,
  type Lab,
  type LabHost,
  labDown,
  labUp,
  runInHost,
  serveArtifacts,
  upperTree,
} from "../../src/lab/index.ts";
import { covered } from "../covered.ts";
import { Screens } from "../screens/screens.ts";
import { differing, Fixtures, labEnv, observeState, readRun, settled, type Told } from "./scene.ts";

const name = "truth";
const inventory = join(import.meta.dirname, "../../inventory/lab.ts");
const playbook = join(import.meta.dirname, "playbook.ts");
const screens = new Screens("", "");

/** The tasks that check mode cannot predict, keyed by title, each with the cause. */
const decided: Readonly<Record<string, string>> = {
  // The content of an archive is known only after it is unpacked.
  "file /srv/truth/site/extra": "unarchive /srv/truth/site.tar.gz to /srv/truth/site",
  // These commands read something that an earlier task changes, or do not declare what they read.
  "command exit 1": "file /srv/truth/new",
  "command exit 2": "file /srv/truth/new",
  "command exit 4": "service new",
  // Check does not run a user's command unless it is marked `readOnly`.
  "command echo dark >/srv/truth/dark": "itself",
};

/** The tasks that are refused, by check and by every run. */
const refused = (): string[] => [`disk ${main!.disks[1]!.path} at /mnt/used E_REFUSED`];

let lab: Lab;
let [main, twin]: (LabHost | undefined)[] = [];
let server: ArtifactServer;
let fixtures: { readonly main: Fixtures; readonly twin: Fixtures };

beforeAll(async () => {
  lab = await labUp({ hosts: 2, name, disks: 2, replace: true });
  await Promise.all(lab.hosts.map(settled));
  [main, twin] = lab.hosts;
  const first = new Fixtures(screens, "main");
  fixtures = { main: first, twin: new Fixtures(screens, "twin", first) };
  server = await serveArtifacts(first.folder, lab.gateway);
  const before = readFileSync(join(import.meta.dirname, "before.sh"), "utf8");
  for (const host of lab.hosts) await runInHost(host, ["sh"], { input: before });
});
afterAll(async () => {
  await server.close();
  await labDown({ name });
  screens.remove();
});

const furrow = async (command: string, which: "main" | "twin", ...flags: string[]): ReturnType<Screens["run"]> => {
  const { folder, digest } = fixtures[which];
  const vars = [`fixtures=${folder}`, `web=${server.url}`, `digest=${digest}`].flatMap((text) => ["--var", text]);
  const limit = ["--limit", (which === "main" ? main : twin)!.name];
  return screens.run([command, playbook, "-i", inventory, ...limit, ...vars, ...flags], labEnv(lab));
};
const told = async (...args: Parameters<typeof furrow>): Promise<Told> => readRun(await furrow(...args, "--json"));
const outcomes = ({ ends }: Told): string[] =>
  ends.map(({ title, outcome, error = "" }) => `${outcome} ${title} ${error}`);

const failures = ({ ends }: Told): string[] =>
  ends.flatMap(({ title, outcome, error }) => (outcome === "failed" ? [`${title} ${error?.split(" ")[0]}`] : []));

/** Translates a task title from one host to its twin: folders and disks contain the host's name. */
const onTwin = (title: string): string =>
  title.replaceAll(fixtures.main.folder, fixtures.twin.folder).replaceAll(main!.name, twin!.name);

/**
 * Differences from the image, except for the folders of units with a private /tmp, which systemd names differently at
 * every boot.
 */
async function layerOf(host: LabHost): Promise<readonly string[]> {
  const lines = [...(await upperTree(host))].map(([path, line]) => `${path} ${line}`);
  return lines.filter((line) => !line.startsWith("/var/tmp/systemd-private-"));
}

let checked: Told;
let ran: Told;

test("check leaves nothing on the host except what any connection leaves", async () => {
  const before = await observeState(main!, fixtures.main);
  const layer = await layerOf(main!);
  checked = await told("check", "main");
  expect(failures(checked)).toEqual(refused());
  expect(await observeState(main!, fixtures.main)).toEqual(before);
  expect(await layerOf(main!)).toEqual(layer);
  // The same connection to the twin host ran only `true`. The comparison excludes what sshd, PAM and the system log
  // write on every login; anything else that a login may write also exists on the twin host.
  const known = ["-o", `UserKnownHostsFile=${lab.knownHostsFile}`, "-o", "BatchMode=yes"];
  execFileSync("ssh", ["-i", lab.identityFile, ...known, `root@${twin!.address}`, "true"]);
  expect(await layerOf(main!)).toEqual(await layerOf(twin!));
});

test("the run does what check predicted, task by task, and a second run changes nothing", async () => {
  ran = await told("run", "main");
  expect(ran.code, outcomes(ran).join("\n")).toBe(0);
  expect(ran.ends.map(({ id, title }) => `${id} ${title}`)).toEqual(
    checked.ends.map(({ id, title }) => `${id} ${title}`),
  );
  const lies = checked.ends.filter(
    ({ outcome }, index) => outcome !== "undecided" && outcome !== ran.ends[index]?.outcome,
  );
  expect(lies).toEqual([]);

  const after = await observeState(main!, fixtures.main);
  const again = await told("run", "main", "--skip-tags", "always-changed");
  expect(again.ends.filter(({ outcome }) => outcome !== "ok" && outcome !== "failed")).toEqual([]);
  expect(failures(again)).toEqual(refused());
  const later = await observeState(main!, fixtures.main);
  expect(differing(after.state, later.state)).toEqual([]);
  expect(differing(after.times, later.times)).toEqual([]);
});

test("check names the cause of every undecided task, and the recap counts these tasks", () => {
  const open = checked.ends.filter(({ outcome }) => outcome === "undecided");
  expect(Object.fromEntries(open.map(({ title, dependsOn }) => [title, dependsOn]))).toEqual(decided);
  expect(checked.counts["undecided"]).toBe(open.length);
  for (const outcome of ["ok", "changed"]) {
    expect(checked.counts[outcome]).toBe(checked.ends.filter((end) => end.outcome === outcome).length);
  }
});

test("the host confirms each outcome: a `changed` task changed the host, an `ok` task did not", async () => {
  const lies: unknown[] = [];
  const said: Record<string, number> = {};
  let before = await observeState(twin!, fixtures.twin);
  for (const [index, { title, outcome }] of ran.ends.entries()) {
    const { ends } = await told("run", "twin", "--tags", `t${index + 1}`);
    expect(ends, `${title} alone`).toMatchObject([{ title: onTwin(title), outcome }]);
    const after = await observeState(twin!, fixtures.twin);
    const state = differing(before.state, after.state);
    const touched = [...state, ...differing(before.times, after.times)];
    const truth = outcome === "changed" ? state.length > 0 : touched.length === 0;
    if (!truth) lies.push({ title, outcome, touched });
    said[outcome] = (said[outcome] ?? 0) + 1;
    before = after;
  }
  expect(lies).toEqual([]);
  expect(said["changed"]).toBeGreaterThan(40);
  expect(said["ok"]).toBeGreaterThan(12);
  covered(`check against run and the host itself: ${said["changed"]} tasks that change, ${said["ok"]} that do not`);
});
