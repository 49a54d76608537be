import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../../covered.ts";
import { tortureSeed } from "../../seeded.ts";
import { isWrite, killPoints } from "./points.ts";
import { Cast, type Rig, type Run } from "./rig.ts";
import type { Row } from "./row.ts";

/** The number of kill points for each row, unless a run requests more. */
const usual = 3;

/** The time limit for all kill points of a row on a busy machine, in milliseconds. */
const timeout = 4 * 3_600_000;

/**
 * Lists the tests of a row: check mode predicts the run, a second run changes nothing, and if a run is killed after any
 * of its API calls, the next run finishes its work, and the objects end up the same.
 */
export function testKills(row: Row, rigOf: () => Rig): void {
  describe(`playbooks/${nameOf(row)}`, () => {
    let rig: Rig;
    let whole: { readonly end: Record<string, string>; readonly calls: readonly string[] } | undefined;
    beforeAll(async () => {
      rig = rigOf();
      await row.up?.(rig);
    });
    afterAll(() => row.down?.());

    const state = async (): Promise<Record<string, string>> => {
      const all = Object.entries(await rig.stage.state(row.varies));
      return Object.fromEntries(all.filter(([name]) => row.leftovers?.test(name) !== true));
    };

    /** Resets everything to the initial state, and runs the actors during the attempt. */
    const attempt = async (act: (cast: Cast) => Promise<void>): Promise<void> => {
      await rig.stage.set(row.objects(rig));
      const cast = new Cast(rig.server, row.actors);
      try {
        await row.begin?.(rig, cast);
        await act(cast);
      } finally {
        await cast.end();
      }
    };
    const run = (options: { check?: boolean; killAt?: number } = {}): Promise<Run | undefined> =>
      rig.run(row.playbook, row.vars(rig), options);

    test("check mode says what the run does, and a second run changes nothing", { timeout }, () =>
      attempt(async (cast) => {
        await cast.settled();
        const before = await state();
        const checked = await run({ check: true });
        expect(rig.proxy.calls.filter(isWrite)).toEqual([]);
        expect(await state()).toEqual(before);

        const applied = await run();
        const { calls } = rig.proxy;
        expect(problemsOf(applied)).toBe("");
        expect(changedBy(applied).length).toBeGreaterThan(0);
        expect(changedBy(checked)).toEqual(changedBy(applied));
        await cast.settled();
        whole = { end: await state(), calls };
        expect(whole.end).not.toEqual(before);

        expect(changedBy(await run({ check: true }))).toEqual([]);
        const again = await run();
        expect([problemsOf(again), changedBy(again)]).toEqual(["", []]);
        expect(await state()).toEqual(whole.end);
      }),
    );

    test(
      "a run that is killed after an API call is finished by the next run, as if it had not been killed",
      { timeout },
      async ({ skip }) => {
        if (whole === undefined) return skip("the run does not work without a kill either");
        const { end, calls } = whole;
        let killed = 0;
        for (const [index, killAt] of killPoints(calls, usual).entries()) {
          const where = `killed after call ${killAt}, ${calls[killAt - 1]}`;
          await attempt(async (cast) => {
            // The number of queries in a wait differs from run to run, so a run might not reach the last points.
            const isKilled = (await run({ killAt })) === undefined;
            expect(isKilled || rig.proxy.calls.length < killAt, where).toBe(true);
            killed += Number(isKilled);
            // Every other rerun starts at once, while the controllers are still working on what the killed run began.
            const hasTime = index % 2 === 1;
            if (hasTime) await cast.settled();
            const checked = hasTime ? await run({ check: true }) : undefined;
            const rerun = await run();
            expect(problemsOf(rerun), where).toBe("");
            expect(changedBy(checked ?? rerun), where).toEqual(changedBy(rerun));
            await cast.settled();
            expect(await state(), where).toEqual(end);
            const again = await run();
            expect([problemsOf(again), changedBy(again)], where).toEqual(["", []]);
          });
        }
        expect(killed).toBeGreaterThan(0);
        covered(`${nameOf(row)}: killed after ${killed} of ${calls.length} API calls, seed ${tortureSeed}`);
      },
    );
  });
}

function nameOf({ playbook, does }: Row): string {
  return does === undefined ? playbook : `${playbook} (${does})`;
}

/** The titles of the tasks that changed something, or would change something. */
function changedBy(run: Run | undefined): string[] {
  return (run?.tasks ?? []).flatMap(({ title, outcome }) => (outcome === "changed" ? [title] : []));
}

/** The output of a run that did not succeed; empty if it did. */
function problemsOf(run: Run | undefined): string {
  if (run === undefined) return "killed";
  return run.counts.failed + run.counts.unreachable + run.counts.undecided === 0 ? "" : run.text;
}
