import { type Cable, measuredRtt, startCable } from "../link/cable.ts";
import type { Fleet } from "../hosts/fleet.ts";
import { reach, type Targets } from "../hosts/targets.ts";
import { type Measured, measuredWell, type Program } from "../measure/program.ts";
import { load } from "../measure/rounds.ts";
import type { BenchOptions } from "../options.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workload } from "../workloads/workloads.ts";
import type { Cell, Look, Remark } from "./figures.ts";
import { converge, expectEnd, setStage, type Stage } from "./stage.ts";

/** The workloads to compare, the tools to use, and the number of rounds. */
export interface Comparison {
  readonly workload: Workload;
  readonly fleet: Fleet;
  readonly tools: readonly Tool[];
  readonly rtts: readonly number[];
  /** Properties of cables besides their round-trip time. */
  readonly cable: BenchOptions["cable"];
  readonly rounds: number;
  /** Number of rounds for slow tools. */
  readonly slowRounds: number;
  /** A separate folder for this fleet. */
  readonly folder: string;
  /** The tree and the large file on the controller. */
  readonly sources: { readonly tree: string; readonly big: string };
  readonly series: string;
  readonly say: (line: string) => void;
  readonly keep: (taken: Taken) => void;
}

/** The results of a comparison, each added as soon as it is known. */
export interface Taken {
  readonly cells: readonly Cell[];
  readonly looks: readonly Look[];
  readonly remarks: readonly Remark[];
}

/**
 * Compares all tools on one workload. Each tool must first reach the final state and then change nothing in a second
 * pass. Only then are the tools timed, in turn.
 */
export async function compare(comparison: Comparison): Promise<void> {
  const { workload, fleet, folder, say, keep } = comparison;
  const straight = await reach(some(fleet, workload), `${folder}/straight`, undefined);
  const stages: Stage[] = [];
  const plain = startCable({ rttMs: 0 });
  try {
    const near = await reach(some(fleet, workload), `${folder}/near`, plain);
    for (const tool of comparison.tools) {
      say(`${workload.id}: ${tool.name} must match the plan`);
      const taken = await hold(comparison, tool, straight, near, plain);
      keep(taken);
      if (taken.stage !== undefined) stages.push(taken.stage);
    }
  } finally {
    plain.close();
  }
  for (const rttMs of comparison.rtts) await timed(comparison, stages, straight, rttMs);
}

/** Checks whether the tool can do the workload, and measures one run. Returns a stage if the tool can be timed. */
async function hold(
  comparison: Comparison,
  tool: Tool,
  straight: Targets,
  near: Targets,
  cable: Cable,
): Promise<Taken & { readonly stage?: Stage }> {
  const { workload, fleet, series, say } = comparison;
  const plan = workload.plan();
  const place = { workload: workload.id, tool: tool.name };
  const remark = (text: string): Remark[] => [{ workload: workload.id, tool: tool.name, text }];
  const errand = { plan: plan.name, check: false, targets: straight, ...comparison.sources };
  const direct = tool.program(errand);
  if (direct === undefined || tool.program({ ...errand, check: workload.check === true }) === undefined)
    return { cells: [], looks: [], remarks: remark("cannot do this") };
  const stage = { workload, plan, tool, fleet, direct };
  let look: Look | undefined;
  const observed = async (): Promise<Measured> => {
    const before = await fleet.sessions();
    await cable.count();
    const run = await measuredWell(programOf(comparison, stage, near), { memory: true });
    // Round trips are counted in other runs: at this short distance, a message that the tool does not wait for may
    // arrive after the answer.
    const { connections, bytesOut, bytesIn } = await cable.count();
    const sessions = (await fleet.sessions()) - before;
    look = { ...place, connections, bytesOut, bytesIn, sessions, peakBytes: run.peakBytes, series };
    return run;
  };
  try {
    // For a converged workload, the second pass is the run that is measured.
    const again = await converge(stage, workload.from === "converged" ? observed : () => measuredWell(direct));
    if (look === undefined) {
      await setStage(stage);
      await expectEnd(stage, await observed());
    }
    if (look !== undefined && !tool.slow && plan.name !== "big")
      look = { ...look, roundTrips: await countRoundTrips(comparison, stage) };
    return {
      cells: [],
      looks: look === undefined ? [] : [look],
      remarks: again === undefined ? [] : remark(again),
      stage,
    };
  } catch (error) {
    say(String(error));
    return { cells: [], looks: [], remarks: remark(failure(error)) };
  }
}

/**
 * Round-trip time of the long cable. At this distance, an answer arrives long after the tool has sent all messages that
 * do not depend on that answer.
 */
const farMs = 500;

/**
 * Counts the round trips of a run with a cable. Takes the minimum of several runs, because a late message can look like
 * a wait, but a wait never looks like a late message.
 */
async function countRoundTrips(comparison: Comparison, stage: Stage): Promise<number> {
  const cable = startCable({ rttMs: farMs });
  try {
    const far = await reach(some(stage.fleet, stage.workload), `${comparison.folder}/far`, cable);
    const counts: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      await cable.count();
      await once(stage, programOf(comparison, stage, far));
      counts.push((await cable.count()).roundTrips);
    }
    return Math.min(...counts);
  } finally {
    cable.close();
  }
}

interface Timed extends Measured {
  readonly hostCpuMs: number;
}

/**
 * Runs all rounds at one round-trip time, with tools taking turns; connects directly to the hosts if that time is 0.
 */
async function timed(
  comparison: Comparison,
  stages: readonly Stage[],
  straight: Targets,
  rttMs: number,
): Promise<void> {
  const { workload, fleet, rounds, slowRounds, folder, series, say, keep } = comparison;
  const cable = rttMs === 0 ? undefined : startCable({ rttMs, ...comparison.cable });
  const runs = new Map<Stage, Timed[]>(stages.map((stage) => [stage, []]));
  try {
    const targets = cable === undefined ? straight : await reach(some(fleet, workload), `${folder}/${rttMs}`, cable);
    for (let round = 0; round < rounds; round += 1) {
      say(`${workload.id}: ${rttMs} ms, round ${round + 1} of ${rounds}, load ${load()}`);
      const turn = [...runs.keys()].filter(({ tool }) => !tool.slow || round < slowRounds);
      for (const stage of round % 2 === 0 ? turn : turn.toReversed()) {
        try {
          runs.get(stage)?.push(await once(stage, programOf(comparison, stage, targets)));
        } catch (error) {
          say(String(error));
          runs.delete(stage);
          const text = `${rttMs} ms away: ${failure(error)}`;
          keep({ cells: [], looks: [], remarks: [{ workload: workload.id, tool: stage.tool.name, text }] });
        }
      }
    }
  } finally {
    cable?.close();
  }
  const cells = [...runs].map(([{ tool }, made]): Cell => {
    const figure = (name: "wallMs" | "cpuMs" | "hostCpuMs"): number[] =>
      made.map((run) => Math.round(run[name] * 10) / 10);
    const place = { workload: workload.id, tool: tool.name, rttMs, load: load(), series };
    return { ...place, wallMs: figure("wallMs"), cpuMs: figure("cpuMs"), hostCpuMs: figure("hostCpuMs") };
  });
  keep({ cells, looks: [], remarks: [] });
}

/** One run from the workload's initial state. */
async function once(stage: Stage, program: Program): Promise<Timed> {
  const { fleet, plan, workload } = stage;
  await setStage(stage);
  const before = fleet.cpuMs();
  const run = await measuredWell(program);
  const hostCpuMs = fleet.cpuMs() - before;
  if (workload.check === true) await fleet.run(plan.repair, workload.hosts);
  return { ...run, hostCpuMs };
}

function failure(error: unknown): string {
  return `failed: ${String(error).split("\n").slice(0, 2).join(" ").slice(0, 200)}`;
}

function programOf({ sources }: Comparison, { tool, plan, workload }: Stage, targets: Targets): Program {
  const program = tool.program({ plan: plan.name, check: workload.check === true, targets, ...sources });
  if (program === undefined) throw new Error(`${tool.name} cannot do ${workload.id}`);
  return program;
}

function some(fleet: Fleet, { hosts }: Workload): Fleet["hosts"] {
  return { ...fleet.hosts, hosts: fleet.hosts.hosts.slice(0, hosts) };
}

/** Measures the actual round-trip times of this machine's cables. */
export async function realRtts(rtts: readonly number[]): Promise<Readonly<Record<string, number>>> {
  const real: Record<string, number> = {};
  for (const rttMs of rtts.filter((it) => it > 0)) {
    const cable = startCable({ rttMs });
    real[rttMs] = Number((await measuredRtt(cable)).toFixed(2));
    cable.close();
  }
  return real;
}
