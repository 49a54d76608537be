import { setTimeout as sleep } from "node:timers/promises";
import type { Controller } from "./controller.ts";
import type { TorturedHost } from "./tortured-host.ts";

/** A run counts as hanging after this many seconds without a finished task or a planned loss. */
const longestPause = 240;

/**
 * Waits for the end of a run. Kills furrow and throws if the run hangs; the error says what furrow, the test and the
 * host were doing.
 *
 * @param plan what the test has done to the connection so far, and what it waits for
 */
export async function moving(
  run: Controller,
  plan: readonly string[],
  host: TorturedHost,
): Promise<Awaited<Controller["ended"]>> {
  const isOver = run.ended.then(() => true);
  const progress = (): number => plan.length + run.soFar().filter(({ type }) => type === "taskFinished").length;
  for (let [last, since] = [progress(), Date.now()]; ;) {
    if (await Promise.race([isOver, sleep(1000, false)])) return run.ended;
    if (progress() !== last) [last, since] = [progress(), Date.now()];
    if (Date.now() - since > longestPause * 1000) break;
  }
  const events = run.soFar().filter(({ type }) => type !== "stepOutput");
  const text = [
    `the run has hung for ${longestPause} s`,
    ...plan,
    `connections: ${host.proxy.connections()}, bytes: ${host.proxy.passed()}, program starts: ${host.started}`,
    ...events.slice(-20).map((event) => JSON.stringify(event)),
    ...run
      .soFar()
      .slice(-3)
      .map((event) => JSON.stringify(event).slice(0, 300)),
    await host.sh("ps -eo pid,ppid,etimes,stat,args --forest | cut -c1-200; ls -laR /run/furrow"),
  ].join("\n");
  run.child.kill("SIGKILL");
  throw new Error(text);
}
