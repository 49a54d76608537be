import { afterAll, beforeAll, expect, test } from "vitest";
import type { SimulatedTask } from "../../src/testing/index.ts";
import { type Cell, cells } from "./cells.ts";
import { soundCluster } from "./examples.ts";
import { FakeCluster } from "./fake-cluster.ts";
import { refusalOf, runGuard, said } from "./one-guard.ts";

/**
 * Tests a part of the table: the cells whose index, modulo the number of parts, is `part`. Each cell has its own path
 * on the fake cluster, so that all cells can be tested in parallel.
 */
export function testCells(part: number, parts: number): void {
  let cluster: FakeCluster;
  const named = [...cells.entries()]
    .filter(([number]) => number % parts === part)
    .map(([number, cell]) => ({ ...cell, number, name: `${cell.guard.name}, ${cell.path}: ${cell.bad.name}` }));
  const results: Promise<{ readonly task: SimulatedTask; readonly text: string }>[] = [];

  beforeAll(async () => {
    cluster = await FakeCluster.up(soundCluster);
    cluster.instead = (asked) => {
      const { bad, path } = cells[Number(asked.prefix.slice(1))] as Cell;
      return asked.path === path && (bad.instead?.(asked) ?? false);
    };
    const next = named.values();
    const work = async (): Promise<void> => {
      for (const { number, guard, path, bad } of next) {
        const kubeconfig = bad.kubeconfig?.(cluster, `/${number}`) ?? cluster.kubeconfig(`/${number}`);
        const asked = { kubeconfig, path, endsBy: bad.endsBy };
        const result = runGuard(cluster, guard, asked).then(async (task) => ({
          task,
          text: guard.says === "wait" ? await refusalOf(guard, asked) : said(task),
        }));
        results[number] = result;
        await result.catch(() => undefined);
      }
    };
    // Most of the time is spent waiting for deadlines.
    await Promise.all(Array.from({ length: 24 }, work));
  }, 3_600_000);

  test.each(named)("$name", async ({ number, guard, what, bad }) => {
    const { task, text } = await (results[number] as (typeof results)[number]);
    // If a file cannot be read as a kubeconfig, a separate error names the file.
    const isError = bad.cause === "cannot be used as a kubeconfig";
    const isRefused = guard.says === "report" && bad.name === "no kubeconfig";
    const notes = ["report", "status", "comparison"].includes(guard.says);
    const outcome = notes && !isError && !isRefused ? "ok" : "failed";
    expect({ outcome: task.outcome, steps: task.steps }).toEqual({ outcome, steps: [] });
    expect(text).toContain(bad.cause);
    expect(isError || isRefused || text.includes(what)).toBe(true);
  });
  afterAll(() => cluster.down());
}
