import { afterEach, expect, test } from "vitest";
import { after, every, fillRandom, now, random, randomBytes, sleep, useWorld } from "./world.ts";

afterEach(() => useWorld());

test("takes time and random numbers from another world until Node's own is restored", async () => {
  const asked: string[] = [];
  const set = (what: string): { cancel: () => void } => {
    asked.push(what);
    return { cancel: () => asked.push(`${what} cancelled`) };
  };
  useWorld({
    now: () => 42,
    sleep: (ms) => Promise.resolve(void asked.push(`sleep ${ms}`)),
    after: (ms, _act, idle) => set(`after ${ms} ${idle}`),
    every: (ms) => set(`every ${ms}`),
    random: () => 0.5,
    fill: (bytes) => bytes.fill(7),
  });
  await sleep(1000);
  after(5, () => {}).cancel();
  after(6, () => {}, { idle: true });
  every(7, () => {});
  expect([now(), random(), [...randomBytes(2)], [...fillRandom(new Uint8Array(1))]]).toEqual([42, 0.5, [7, 7], [7]]);
  expect(asked).toEqual(["sleep 1000", "after 5 false", "after 5 false cancelled", "after 6 true", "every 7"]);
  useWorld();
  expect(now()).toBeGreaterThan(42);
  expect(randomBytes(16)).not.toEqual(randomBytes(16));
});

test("sleeps, fires timers and obeys a signal in Node's own world", async () => {
  const started = now();
  await sleep(5);
  await new Promise<void>((resolve) => after(5, resolve));
  let rung = 0;
  const bell = every(1, () => (rung += 1));
  await sleep(20);
  bell.cancel();
  expect(now() - started).toBeGreaterThanOrEqual(25);
  expect(rung).toBeGreaterThan(0);
  after(1, () => (rung = -1)).cancel();
  await expect(sleep(60_000, AbortSignal.abort())).rejects.toThrow("abort");
  expect(rung).toBeGreaterThan(0);
});
