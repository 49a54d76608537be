import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { Cast } from "../kube/kills/rig.ts";
import { seeded, torturePoints, tortureSeed } from "../seeded.ts";
import { controllers } from "./actors.ts";
import { type RunEnd, Scene } from "./scene.ts";

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.up(`parvester-kills-${process.pid}`, 3);
});

afterAll(() => scene?.down());

/** Starts with empty hosts and the controllers of a cluster. */
async function attempt<T>(act: () => Promise<T>): Promise<T> {
  await scene.reset();
  const cast = new Cast(scene.server, controllers());
  try {
    return await act();
  } finally {
    await cast.end();
  }
}

/**
 * Runs the playbook, and kills furrow at its n-th moment: when a task begins, or when the API has sent a response that
 * furrow has not received yet. Returns how the run ended, and the number of its moments.
 */
async function killedAt(moment: number): Promise<RunEnd & { readonly moments: number }> {
  let moments = 0;
  let child: { kill(signal: "SIGKILL"): unknown } | undefined = undefined;
  let calls = 0;
  const pass = (): void => {
    moments += 1;
    if (moments === moment) child?.kill("SIGKILL");
  };
  const watch = setInterval(() => {
    for (; calls < scene.proxy.calls.length; calls += 1) pass();
  }, 2);
  scene.proxy.arm(0);
  const life = scene.start("parvester", { listener: ({ type }) => void (type === "taskStarted" && pass()) });
  child = life.child;
  const { code, text } = await life.ended;
  clearInterval(watch);
  return { code, text, tasks: [], moments };
}

test(
  "a killed deployment on three empty hosts is finished by the next run, as if it had not been killed",
  { timeout: 4 * 3_600_000 },
  async () => {
    const calm = await attempt(async () => {
      const { code, text, moments } = await killedAt(0);
      expect([code, code === 0 ? "" : text]).toEqual([0, ""]);
      return { moments, state: await scene.state() };
    });
    const random = seeded(tortureSeed);
    const points = Array.from({ length: torturePoints(2, 30) }, () => 1 + random(calm.moments));
    let killed = 0;
    for (const point of points.toSorted((a, b) => a - b))
      await attempt(async () => {
        const where = `killed at moment ${point} of ${calm.moments}, seed ${tortureSeed}`;
        const first = await killedAt(point);
        killed += Number(first.code === null);
        const rerun = await scene.run("parvester");
        expect([rerun.code, rerun.code === 0 ? "" : rerun.text], where).toEqual([0, ""]);
        expect(await scene.state(), where).toEqual(calm.state);
        expect(scene.supervisor.begun, where).toHaveLength(1);
        const again = await scene.run("parvester");
        const changed = again.tasks.filter(({ outcome }) => outcome === "changed");
        expect([again.code, changed], where).toEqual([0, []]);
        process.stdout.write(`${where}: ${first.code === null ? "killed" : "ended before"}\n`);
      });
    expect(killed).toBeGreaterThan(0);
    covered(`parvester: killed at ${killed} of ${calm.moments} moments, seed ${tortureSeed}`);
  },
);
