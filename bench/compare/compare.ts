import { type Cable, measuredRtt, startCable } from "../link/cable.ts";
import type { Fleet } from "../hosts/fleet.ts";
import { reach, type Targets } from "../hosts/targets.ts";
import { type Measured, measuredWell } from "../measure/program.ts";
import { load } from "../measure/rounds.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workload } from "../workloads/workloads.ts";
import type { Cell, Look, Remark } from "./figures.ts";
import { converge, expectEnd, setStage, type Stage } from "./stage.ts";

/** What is compared, with what, how often. */
export interface Comparison {
  readonly workload: Workload;
  readonly fleet: Fleet;
  readonly tools: readonly Tool[];
  readonly rtts: readonly number[];
  readonly rounds: number;
  /** Rounds of tools that are slow. */
  readonly slowRounds: number;
  /** A folder of its own for this fleet. */
  readonly folder: string;
  /** The tree and the large file on this machine. */
  readonly sources: { readonly tree: string; readonly big: string };
  readonly series: string;
  readonly say: (line: string) => void;
}

/** What a comparison gives. */
export interface Taken {
  readonly cells: readonly Cell[];
  readonly looks: readonly Look[];
  readonly remarks: readonly Remark[];
}

/** All tools at one workload: each is first held to the final state and to changing nothing more, then timed in turns. */
export async function compare(comparison: Comparison): Promise<Taken> {
  const { workload, fleet, folder, say } = comparison;
  const plan = workload.plan();
  const straight = await reach(some(fleet, workload), `${folder}/straight`, undefined);
  const remarks: Remark[] = [];
  const stages: Stage[] = [];
  const looks: Look[] = [];
  const plain = startCable(0);
  try {
    const near = await reach(some(fleet, workload), `${folder}/near`, plain);
    for (const tool of comparison.tools) {
      const errand = { plan: plan.name, check: false, targets: straight, ...comparison.sources };
      const direct = tool.program(errand);
      const remark = (text: string): void => void remarks.push({ workload: workload.id, tool: tool.name, text });
      if (direct === undefined || tool.program({ ...errand, check: workload.check === true }) === undefined) {
        remark("cannot do this");
        continue;
      }
      const stage = { workload, plan, tool, fleet, direct };
      say(`${workload.id}: ${tool.name} converges`);
      try {
        const again = await converge(stage);
        if (again !== undefined) remark(again);
        looks.push(await lookAt(comparison, stage, near, plain));
        stages.push(stage);
      } catch (error) {
        remark(`failed: ${String(error).split("\n").slice(0, 2).join(" ").slice(0, 200)}`);
        say(String(error));
      }
    }
  } finally {
    plain.close();
  }
  const cells: Cell[] = [];
  for (const rttMs of comparison.rtts) cells.push(...(await timed(comparison, stages, straight, rttMs)));
  return { cells, looks, remarks };
}

/** One run through a cable without delay: what passes, which memory is held, and whether it ends as it shall. */
async function lookAt(comparison: Comparison, stage: Stage, near: Targets, cable: Cable): Promise<Look> {
  const { workload, tool, fleet } = stage;
  await setStage(stage);
  const before = await fleet.sessions();
  await cable.count();
  const run = await measuredWell(programOf(comparison, stage, near), { memory: true });
  const passed = await cable.count();
  const sessions = (await fleet.sessions()) - before;
  await expectEnd(stage, run);
  const { series } = comparison;
  return { workload: workload.id, tool: tool.name, ...passed, sessions, peakBytes: run.peakBytes, series };
}

/** All rounds at one round-trip time, tools in turns; straight to the hosts where it is none. */
async function timed(
  comparison: Comparison,
  stages: readonly Stage[],
  straight: Targets,
  rttMs: number,
): Promise<readonly Cell[]> {
  const { workload, fleet, rounds, slowRounds, folder, series, say } = comparison;
  const cable = rttMs === 0 ? undefined : startCable(rttMs);
  const runs = new Map<Stage, (Measured & { hostCpuMs: number })[]>(stages.map((stage) => [stage, []]));
  try {
    const targets = cable === undefined ? straight : await reach(some(fleet, workload), `${folder}/${rttMs}`, cable);
    for (let round = 0; round < rounds; round += 1) {
      say(`${workload.id}: ${rttMs} ms, round ${round + 1} of ${rounds}, load ${load()}`);
      const turn = stages.filter(({ tool }) => !tool.slow || round < slowRounds);
      for (const stage of round % 2 === 0 ? turn : turn.toReversed()) {
        await setStage(stage);
        const before = fleet.cpuMs();
        const run = await measuredWell(programOf(comparison, stage, targets));
        runs.get(stage)?.push({ ...run, hostCpuMs: fleet.cpuMs() - before });
        if (workload.check === true) await fleet.run(stage.plan.mend, workload.hosts);
      }
    }
  } finally {
    cable?.close();
  }
  return stages.map((stage): Cell => {
    const figure = (name: "wallMs" | "cpuMs" | "hostCpuMs"): number[] =>
      (runs.get(stage) ?? []).map((run) => Math.round(run[name] * 10) / 10);
    const place = { workload: workload.id, tool: stage.tool.name, rttMs, load: load(), series };
    return { ...place, wallMs: figure("wallMs"), cpuMs: figure("cpuMs"), hostCpuMs: figure("hostCpuMs") };
  });
}

function programOf({ sources }: Comparison, { tool, plan, workload }: Stage, targets: Targets) {
  const program = tool.program({ plan: plan.name, check: workload.check === true, targets, ...sources });
  if (program === undefined) throw new Error(`${tool.name} cannot do ${workload.id}`);
  return program;
}

function some(fleet: Fleet, { hosts }: Workload): Fleet["hosts"] {
  return { ...fleet.hosts, hosts: fleet.hosts.hosts.slice(0, hosts) };
}

/** The round-trip times that the cables of this machine really have. */
export async function realRtts(rtts: readonly number[]): Promise<Readonly<Record<string, number>>> {
  const real: Record<string, number> = {};
  for (const rttMs of rtts.filter((it) => it > 0)) {
    const cable = startCable(rttMs);
    real[rttMs] = Number((await measuredRtt(cable)).toFixed(2));
    cable.close();
  }
  return real;
}
