import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConnectPace } from "./connect-pace.ts";

const { signal } = new AbortController();

// On a busy machine, real time would decide what counts as late.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

test("connects to 500 hosts on one overloaded machine in time, although connecting to all at once would take too long", async () => {
  const pace = new ConnectPace({ first: 32, fewest: 4, most: 128, quickMs: 20, lateMs: 50 });
  const deadlineMs = 300;
  let inside = 0;
  let most = 0;
  const late: number[] = [];
  const all = Promise.all(
    Array.from({ length: 500 }, async () => {
      const leave = await pace.enter(signal);
      inside += 1;
      most = Math.max(most, inside);
      // Each connection takes 2 ms of a shared processor: 500 at a time would take a second.
      const took = 2 * inside;
      await sleep(took);
      if (took > deadlineMs) late.push(took);
      inside -= 1;
      leave(true);
    }),
  );
  await vi.runAllTimersAsync();
  await all;
  expect(late).toEqual([]);
  expect(most).toBeLessThan(deadlineMs / 2);
});

test("raises the limit while connections are quick, and halves it once if connections made at the same time are late", async () => {
  const pace = new ConnectPace({ first: 4, fewest: 2, most: 8, quickMs: 100, lateMs: 30 });
  const three = [await pace.enter(signal), await pace.enter(signal), await pace.enter(signal)];
  for (const leave of three) leave(true);
  expect(pace.places).toBe(7);
  const slow = [await pace.enter(signal), await pace.enter(signal)];
  await vi.advanceTimersByTimeAsync(40);
  for (const leave of slow) leave(true);
  expect(pace.places).toBe(4);
});

test("counts a refusal as neither quick nor late, and returns a place only once", async () => {
  const pace = new ConnectPace({ first: 1, fewest: 1, most: 8, quickMs: 1000, lateMs: 1000 });
  const leave = await pace.enter(signal);
  leave(false);
  leave(true);
  expect(pace.places).toBe(1);
  const again = await pace.enter(signal);
  const waiting = pace.enter(signal);
  let isIn = false;
  void waiting.then(() => (isIn = true));
  await vi.advanceTimersByTimeAsync(10);
  expect(isIn).toBe(false);
  again(false);
  (await waiting)(false);
});
