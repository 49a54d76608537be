import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostLeader, type Lab, labDown, labUp, runInHost } from "../../src/lab/index.ts";
import { hostLock } from "../../src/transport/frame/on-host/sent/host-lock.ts";
import { covered } from "../covered.ts";
import { Screens } from "../screens/screens.ts";
import virtual from "./playbook-virtual.ts";
import { type Told, labEnv, readRun, settled } from "./scene.ts";
import { idle, watchedBy } from "./watched.ts";

const name = "paranoid-virtual";
const inventory = join(import.meta.dirname, "../../inventory/lab.ts");
const screens = new Screens("", "");
let lab: Lab;

beforeAll(async () => {
  screens.put("fixtures/lists/more.list", "# none\n");
  lab = await labUp({ hosts: 1, name, libvirt: true, replace: true });
  await settled(lab.hosts[0]!);
});
afterAll(async () => {
  await labDown({ name });
  screens.remove();
});

async function furrow(command: string, ...flags: string[]): Promise<Told> {
  const vars = ["--var", `fixtures=${join(screens.folder, "fixtures")}`];
  const playbook = join(import.meta.dirname, "playbook-virtual.ts");
  return readRun(await screens.run([command, playbook, "-i", inventory, ...vars, "--json", ...flags], labEnv(lab)));
}

const told = (ends: Told["ends"]): string[] =>
  ends.map(({ title, outcome, error = "" }) => `${outcome} ${title} ${error}`.trim());

test("tasks for repository lists and libvirt's objects change nothing undeclared, and check predicts their changes", async () => {
  const check = await furrow("check");
  const run = await furrow("run", "--paranoid");
  expect(check.code).toBe(0);
  expect(told(run.ends).filter((end) => end.startsWith("failed"))).toEqual([]);
  expect(idle(watchedBy(virtual, { fixtures: "" }), run.ends)).toEqual([]);
  const decided = check.ends.filter(({ outcome }) => outcome === "undecided");
  const ids = new Set(decided.map(({ id }) => id));
  const without = ({ ends }: Told): string[] => told(ends.filter(({ id }) => !ids.has(id)));
  expect(without(run)).toEqual(without(check));
  // A command has written to the folder with the repository lists, so only a run can determine what the tree changes
  // there. The tree might also change a list on which the following repositories and indexes depend.
  const lists = ["directoryTree", "packageRepo", "packageIndex", "packageRepo", "packageIndex"];
  // Whether a guest can be started depends on what an earlier start has changed.
  const guests = ["libvirtPower", "libvirtPower", "libvirtDomain", "libvirtNet"];
  expect(decided.map(({ module }) => module)).toEqual([...lists, ...guests]);
  covered(`${run.ends.length} tasks about repositories and libvirt under --paranoid: no undeclared effect`);
});

/**
 * Moves a host's shell into a separate scope, as furrow does before the first frame with steps. Prints how long that
 * took, in milliseconds, and the shell's scope.
 */
const scope = `_bs=; _b=/run/furrow; _fR=slow; _fS=1
${hostLock}
s=$(date +%s%N); _fsg; echo $(( ($(date +%s%N) - s) / 1000000 )); cat /proc/$$/cgroup`;

test("furrow works without a scope on a host whose systemd does not answer", async () => {
  const [host] = lab.hosts;
  const leader = await hostLeader(host!);
  process.kill(leader!, "SIGSTOP");
  try {
    const { stdout } = await runInHost(host!, ["sh"], { input: scope });
    expect(Number(stdout.split("\n")[0])).toBeGreaterThan(2500);
    expect(Number(stdout.split("\n")[0])).toBeLessThan(20_000);
    expect(stdout).not.toContain("furrow-slow");
  } finally {
    process.kill(leader!, "SIGCONT");
  }
  await settled(host!);
  const { stdout } = await runInHost(host!, ["sh"], { input: scope.replaceAll("slow", "quick") });
  expect(stdout).toContain("furrow-quick");
});
