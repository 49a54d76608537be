import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "../hosts/fleet.ts";
import { type Measured, measuredWell, type Program } from "../measure/program.ts";
import type { Tool } from "../tools/tool.ts";
import type { Plan } from "../workloads/plan.ts";
import type { Workload } from "../workloads/workloads.ts";

/** One tool and one workload, on hosts that can be reset to the initial state of a run. */
export interface Stage {
  readonly workload: Workload;
  readonly plan: Plan;
  readonly tool: Tool;
  readonly fleet: Fleet;
  /** The tool's program, connecting directly to the hosts and not in check mode: for runs that are not timed. */
  readonly direct: Program;
}

/**
 * The path on a host of a copy of the crontab that a tool wrote. Each tool has its own copy, because each marks its
 * lines differently.
 */
const crontabOf = (tool: Tool): string => `/var/lib/bench-crontab-${tool.name}`;

/**
 * Runs the plan from an empty state and then once more, and examines the hosts with a script that is independent of all
 * tools: the final state must match the plan, and the second pass must not change any file's ctime.
 *
 * @returns a remark, for example that a tool wrote everything again
 */
export async function converge(
  { plan, tool, fleet, workload, direct }: Stage,
  secondPass: () => Promise<Measured>,
): Promise<string | undefined> {
  const place = `${tool.name} ${plan.name}`;
  if (held.has(place)) return held.get(place);
  await fleet.run(plan.remove, workload.hosts);
  await measuredWell(direct);
  await expectState(plan, fleet, workload.hosts, tool.name);
  const stamp = "/var/lib/bench-stamp";
  // File systems record times with the resolution of the kernel's tick, so a wait of one second guarantees a later
  // time.
  await fleet.run(`touch ${stamp}`, workload.hosts);
  await sleep(1100);
  const second = await secondPass();
  const newer = await fleet.run(`find ${plan.paths.join(" ")} -cnewer ${stamp}`, workload.hosts);
  await expectState(plan, fleet, workload.hosts, tool.name);
  if (plan.name === "fifty") await fleet.run(`crontab -l > ${crontabOf(tool)}`, workload.hosts);
  const says = tool.changes(second.stdout) ?? 0;
  const says0 = says === 0 ? undefined : `its second pass still reports changes (${says})`;
  const remark = newer.join("") === "" ? says0 : "its second pass rewrites files that are already correct";
  held.set(place, remark);
  return remark;
}

/** The remarks, keyed by tool and plan and not by workload, because several workloads share a plan. */
const held = new Map<string, string | undefined>();

/** Throws if a host differs from the plan. */
export async function expectState(plan: Plan, fleet: Fleet, hosts: number, after: string): Promise<void> {
  for (const answer of await fleet.run(plan.look, hosts)) {
    const found = answer.split("\n").filter(Boolean).toSorted();
    const wrong = [
      ...plan.wanted.filter((line) => !found.includes(line)).map((line) => `- ${line}`),
      ...found.filter((line) => !plan.wanted.includes(line)).map((line) => `+ ${line}`),
    ];
    if (wrong.length > 0) throw new Error(`after ${after} a host is not in the planned state:\n${wrong.join("\n")}`);
  }
}

async function isAsPlanned(plan: Plan, fleet: Fleet, hosts: number): Promise<boolean> {
  return expectState(plan, fleet, hosts, "").then(
    () => true,
    () => false,
  );
}

/** Puts the hosts into the initial state of the workload's run. */
export async function setStage({ workload, plan, tool, fleet, direct }: Stage): Promise<void> {
  if (workload.from === "fresh") {
    await fleet.run(plan.remove, workload.hosts);
    return;
  }
  const crontab = plan.name === "fifty" ? `crontab ${crontabOf(tool)}` : "";
  await fleet.run([plan.repair, crontab, workload.from === "drifted" ? plan.drift : ""].join("\n"), workload.hosts);
  // A tool's record of a large file is valid only for a file that the tool wrote itself.
  if (plan.name === "big") {
    await fleet.run(plan.remove, workload.hosts);
    await measuredWell(direct);
  }
}

/** Throws if a run's result is not the one that its workload prescribes. */
export async function expectEnd({ workload, plan, tool, fleet }: Stage, run: Measured): Promise<void> {
  const says = tool.changes(run.stdout);
  if (workload.check === true) {
    if (says === 0) throw new Error(`${tool.name} reports in check mode that nothing would change:\n${run.stdout}`);
    if (await isAsPlanned(plan, fleet, workload.hosts)) throw new Error(`${tool.name} changed something in check mode`);
    await fleet.run(plan.repair, workload.hosts);
  }
  await expectState(plan, fleet, workload.hosts, tool.name);
}
