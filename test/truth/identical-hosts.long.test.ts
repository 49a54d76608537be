import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Session } from "../../src/core/host/frame.ts";
import type { Planned } from "../../src/engine/plan/plan.ts";
import { hostActivity, hostIdentity, type LabHost, labDown, labUp, runInHost, upperTree } from "../../src/lab/index.ts";
import { covered } from "../covered.ts";
import { driveEngine, type Mode, planOn } from "../engine/comparison.ts";
import type { Happening } from "../engine/oracle/oracle-terms.ts";
import { Oracle } from "../engine/oracle/oracle.ts";
import { absoluteCells, allOperations, honestly, type Program, programs } from "../engine/programs.ts";
import { nodesOf } from "../engine/vocabulary.ts";
import { labShell, sessionOn } from "../tasks/on-host.ts";
import { hostVocabulary, sceneOf } from "./host-vocabulary.ts";
import { settled } from "./scene.ts";
import { isUnit } from "./things.ts";
import { ThirdParty } from "./third-party.ts";

const name = "identical-hosts";
const seed = Number(process.env["FURROW_IDENTICAL_SEED"] ?? 20_260_401);
const count = Number(process.env["FURROW_IDENTICAL_RUNS"] ?? 15);

/** The hosts that one executor uses: the play's host, and the host that `on()` names. */
interface Side {
  readonly main: LabHost;
  readonly other: LabHost;
}
let engines: Side;
let oracles: Side;
beforeAll(async () => {
  const { hosts } = await labUp({ hosts: 4, name, replace: true });
  await Promise.all(hosts.map(settled));
  const [main, other, second, otherSecond] = hosts as readonly [LabHost, LabHost, LabHost, LabHost];
  engines = { main, other };
  oracles = { main: second, other: otherSecond };
});
afterAll(() => labDown({ name }));

/** The result of a run on one side. */
interface Came {
  readonly told: readonly Happening[];
  /** How many times the third party acted. */
  readonly met: number;
}

type Executor = "engine" | "paranoid engine" | "oracle";

async function runOn(side: Side, program: Program, mode: Mode, executor: Executor): Promise<Came> {
  const { outside } = program;
  const somebody = outside && new ThirdParty(outside, program);
  const open = async (name: string): Promise<Session> => {
    const session = await sessionOn(await labShell(side[name as keyof Side]), new AbortController().signal);
    return somebody && outside.host === name ? somebody.on(session) : session;
  };
  const plan = planOn("main", nodesOf(program, hostVocabulary));
  const told =
    executor === "oracle"
      ? await driveOracle(plan, open, mode)
      : await driveEngine(plan, open, mode, { paranoid: executor === "paranoid engine" });
  return { told: told.map(inCommon), met: somebody?.acted ?? 0 };
}

/**
 * If an object is removed, the engine may know more facets than this task asks for, because the engine asks on behalf
 * of all tasks at once.
 */
function inCommon(happening: Happening): Happening {
  return {
    ...happening,
    changes: happening.changes.map((text) => text.replace(/ {\S.*} furrow\.absent$/, " there furrow.absent")),
  };
}

async function driveOracle(
  plan: readonly Planned[],
  open: (name: string) => Promise<Session>,
  mode: Mode,
): Promise<readonly Happening[]> {
  const sessions = new Map([
    ["main", await open("main")],
    ["other", await open("other")],
  ]);
  try {
    const oracle = new Oracle(sessions, mode);
    await oracle.run(plan);
    return oracle.happenings;
  } finally {
    for (const session of sessions.values()) await session.close();
  }
}

const units = Array.from({ length: absoluteCells }, (_, cell) => `twin-c${cell}`);
/**
 * Excludes a host's name, its own activity, and the crontab, which records when it was written and is queried
 * separately.
 */
const exclude = [...hostIdentity, ...hostActivity, "/var/spool/cron", "/var/tmp", "/var/log"];

/** The state of one executor's hosts. */
interface State {
  /** Everything that exists on the hosts: all differences from the image, their jobs, and their units. */
  readonly things: readonly string[];
  /** The id of each unit's current start, which a restart changes. */
  readonly starts: readonly string[];
}

async function stateOf({ main, other }: Side): Promise<State> {
  const properties = "Id,LoadState,ActiveState,UnitFileState,Description,NeedDaemonReload,InvocationID";
  const script = `crontab -l 2>/dev/null; systemctl show --property=${properties} ${units.join(" ")}`;
  const both = await Promise.all(
    [main, other].map(async (host) => {
      const { stdout } = await runInHost(host, ["sh", "-c", script], { allowFailure: true });
      const tree = [...(await upperTree(host, { exclude }))].map(([path, line]) => `${path} ${line}`);
      return [`== ${host === main ? "main" : "other"}`, ...tree, ...stdout.split("\n")];
    }),
  );
  const isStart = (line: string): boolean => line.startsWith("InvocationID=");
  return { things: both.flat().filter((line) => !isStart(line)), starts: both.flat().filter(isStart) };
}

/** Puts one executor's hosts into a program's initial state. */
const setScene = (side: Side, program: Program): Promise<unknown> =>
  Promise.all(
    (["main", "other"] as const).map((which) => runInHost(side[which], ["sh"], { input: sceneOf(program, which) })),
  );

/**
 * True for programs that check mode predicts completely. In such programs, no two tasks want the same unit, because
 * check cannot know that the first task loads the unit.
 */
function isForeseeable({ operations, wishes }: Program): boolean {
  const sets = allOperations(operations).flatMap((one) => (one.op === "set" ? [one.cell] : []));
  return !wishes.some((wish, cell) => isUnit(wish) && sets.filter((set) => set === cell).length > 1);
}

/**
 * Returns the differences between a run and check's prediction, up to the last task that the run reached. Check cannot
 * know that a step fails, or that an earlier task affects a prerequisite.
 */
function lies([checked = [], ran = []]: readonly (readonly Happening[])[]): string[] {
  return ran.flatMap(({ id, outcome, error }, index) => {
    const said = checked[index];
    const kept = said?.outcome === "undecided" || (said?.outcome === outcome && said.error === error);
    return kept || error === "E_STEP" ? [] : [`task ${id}: ${said?.outcome} by check, ${outcome} by the run`];
  });
}

/** Programs as in the property tests; every third one lacks the operations that check mode cannot predict. */
function sample(): Program[] {
  return fc.sample(programs, { numRuns: count, seed }).map((one, index) => {
    if (index % 3 === 2) return honestly(one);
    // Only a few programs are sampled, so make the third party act early; otherwise a step may fail before the third
    // party gets a turn.
    return one.outside ? { ...one, outside: { ...one.outside, nth: 1 + (one.outside.nth % 3) } } : one;
  });
}

test("engine, sometimes with --paranoid, and oracle have the same effect on identical hosts", async () => {
  const outcomes: Record<string, number> = {};
  const lied: string[] = [];
  let foreseen = 0;
  let met = 0;
  for (const [index, program] of sample().entries()) {
    const about = `${index}: ${JSON.stringify(program)}`;
    await Promise.all([setScene(engines, program), setScene(oracles, program)]);
    let before = await Promise.all([stateOf(engines), stateOf(oracles)]);
    const told: (readonly Happening[])[] = [];
    const executor = index % 3 === 1 ? "paranoid engine" : "engine";
    for (const mode of ["check", "apply", "apply"] as const) {
      const [engine, oracle] = await Promise.all([
        runOn(engines, program, mode, executor),
        runOn(oracles, program, mode, "oracle"),
      ]);
      expect(engine, `${mode} of ${about}`).toEqual(oracle);
      const after = await Promise.all([stateOf(engines), stateOf(oracles)]);
      const [ours, theirs] = after;
      expect(ours.things, `after ${mode} of ${about}`).toEqual(theirs.things);
      expect(ours, `before and after ${mode} of ${about}`).toEqual(mode === "check" ? before[0] : ours);
      const restarted = after.map(({ starts }, side) => starts.map((id, unit) => id !== before[side]?.starts[unit]));
      expect(restarted[0], `units started by ${mode} of ${about}`).toEqual(restarted[1]);
      before = after;
      told.push(engine.told);
      met += engine.met;
      for (const { outcome } of engine.told) {
        outcomes[`${mode} ${outcome}`] = (outcomes[`${mode} ${outcome}`] ?? 0) + 1;
      }
    }
    if (index % 3 === 2 && isForeseeable(program)) {
      foreseen += 1;
      lied.push(...lies(told).map((lie) => `${lie} of ${about}`));
    }
  }
  expect(lied).toEqual([]);
  expect(foreseen).toBeGreaterThan(count / 6);
  expect(met).toBeGreaterThan(count / 8);
  // Programs in which no task acts would prove nothing.
  for (const kind of ["check changed", "check ok", "apply changed", "apply ok", "apply failed"]) {
    expect(outcomes[kind], kind).toBeGreaterThan(count / 3);
  }
  covered(
    `${count} random playbooks on identical hosts, engine against oracle: ${JSON.stringify({ ...outcomes, met })}`,
  );
});
