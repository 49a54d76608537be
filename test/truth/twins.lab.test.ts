import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Mode, RunEvent } from "../../src/core/events.ts";
import { planNodes } from "../../src/engine/plan.ts";
import { hostActivity, hostIdentity, type LabHost, labDown, labUp, runInHost, upperTree } from "../../src/lab/index.ts";
import { covered } from "../covered.ts";
import { show } from "../engine/oracle-terms.ts";
import { Oracle } from "../engine/oracle.ts";
import { labShell, runNodes, sessionOn } from "../tasks/on-host.ts";
import { settled } from "./scene.ts";
import { isForeseeable, twinNodes, type TwinProgram, twinPrograms } from "./twin-programs.ts";

const name = "twins";
const seed = Number(process.env["FURROW_TWIN_SEED"] ?? 20_260_401);
const count = Number(process.env["FURROW_TWIN_RUNS"] ?? 15);

let hosts: readonly LabHost[];
beforeAll(async () => {
  hosts = (await labUp({ hosts: 2, name, replace: true })).hosts;
  await Promise.all(hosts.map(settled));
});
afterAll(() => labDown({ name }));

/** What happened to one task, as both executors tell it. */
interface Told {
  readonly outcome: string;
  readonly changes: readonly string[];
  readonly notes: readonly string[];
  readonly error?: string;
}

async function withEngine(host: LabHost, program: TwinProgram, mode: Mode): Promise<Told[]> {
  const events: RunEvent[] = await runNodes(await labShell(host), mode, twinNodes(program));
  return events.flatMap((event) => {
    if (event.type !== "taskFinished") return [];
    const changes = event.changes.flatMap(({ fact, differences }) =>
      differences.map(({ path, from, to }) => `${fact} ${path} ${show(from)} ${show(to)}`),
    );
    return [{ outcome: event.outcome, changes, notes: event.notes, ...(event.error && { error: event.error.code }) }];
  });
}

async function withOracle(host: LabHost, program: TwinProgram, mode: Mode): Promise<Told[]> {
  const session = await sessionOn(await labShell(host), new AbortController().signal);
  try {
    const oracle = new Oracle(new Map([["here", session]]), mode);
    await oracle.run(
      planNodes(twinNodes(program), { target: "here", path: [], tags: [], when: [], become: undefined }, ""),
    );
    return oracle.happenings.map(({ outcome, changes, notes, error }) => ({
      outcome,
      changes,
      notes,
      ...(error !== undefined && { error }),
    }));
  } finally {
    await session.close();
  }
}

const units = ["twin0", "twin1", "twin2"];
/** Who a host is, what it does by itself, and the crontab, which notes when it was written: that one is asked for. */
const exclude = [...hostIdentity, ...hostActivity, "/var/spool/cron", "/var/tmp", "/var/log"];

/** What is on a host: everything that differs from the image, its jobs, and its units. */
async function stateOf(host: LabHost): Promise<readonly string[]> {
  const tree = [...(await upperTree(host, { exclude }))].map(([path, line]) => `${path} ${line}`);
  const script = `crontab -l 2>/dev/null; systemctl show --property=Id,LoadState,ActiveState,UnitFileState,Description,NeedDaemonReload ${units.join(" ")}`;
  const { stdout } = await runInHost(host, ["sh", "-c", script], { allowFailure: true });
  return [...tree, ...stdout.split("\n")];
}

/** Which start of each unit is running. */
async function starts(host: LabHost): Promise<readonly string[]> {
  const { stdout } = await runInHost(host, ["systemctl", "show", "--value", "--property=InvocationID", ...units]);
  return stdout.split("\n");
}

/**
 * Where a run did not do what check had said, as far as the run came: that a step fails, or a task whose prerequisite
 * was for an earlier one to decide, check cannot know.
 */
function lies([checked = [], ran = []]: readonly (readonly Told[])[]): string[] {
  return ran.flatMap(({ outcome, error }, index) => {
    const said = checked[index];
    const kept = said?.outcome === "decided" || (said?.outcome === outcome && said.error === error);
    return kept || error === "E_STEP" ? [] : [`task ${index + 1}: ${said?.outcome} by check, ${outcome} by the run`];
  });
}

test("engine and oracle do the same to twin hosts", async () => {
  const [one, two] = hosts as readonly [LabHost, LabHost];
  const outcomes: Record<string, number> = {};
  const lied: string[] = [];
  let foreseen = 0;
  for (const program of fc.sample(twinPrograms, { numRuns: count, seed })) {
    const about = JSON.stringify(program);
    const told: Told[][] = [];
    for (const mode of ["check", "apply", "apply"] as const) {
      const [startsOne, startsTwo] = [await starts(one), await starts(two)];
      const engine = await withEngine(one, program, mode);
      const oracle = await withOracle(two, program, mode);
      expect(engine, `${mode} of ${about}`).toEqual(oracle);
      expect(await stateOf(one), `after ${mode} of ${about}`).toEqual(await stateOf(two));
      const restarted = async (host: LabHost, before: readonly string[]): Promise<boolean[]> =>
        (await starts(host)).map((id, index) => id !== before[index]);
      expect(await restarted(one, startsOne), `units started by ${mode} of ${about}`).toEqual(
        await restarted(two, startsTwo),
      );
      told.push(engine);
      for (const { outcome } of engine) outcomes[`${mode} ${outcome}`] = (outcomes[`${mode} ${outcome}`] ?? 0) + 1;
    }
    if (isForeseeable(program)) {
      foreseen += 1;
      lied.push(...lies(told).map((lie) => `${lie} of ${about}`));
    }
  }
  expect(lied).toEqual([]);
  expect(foreseen).toBeGreaterThan(count / 4);
  // Programs in which nothing happens would prove nothing.
  for (const kind of ["check changed", "check ok", "apply changed", "apply ok", "apply failed"]) {
    expect(outcomes[kind], kind).toBeGreaterThan(5);
  }
  covered(`${count} random playbooks on twin hosts, engine against oracle: ${JSON.stringify(outcomes)}`);
});
