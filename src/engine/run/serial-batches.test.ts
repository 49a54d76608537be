import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { batches, inParallel } from "./serial-batches.ts";

const hosts = ["a", "b", "c", "d", "e"];

describe("batches", () => {
  test.each([
    { serial: undefined, sizes: [5] },
    { serial: 2, sizes: [2, 2, 1] },
    { serial: 9, sizes: [5] },
    { serial: "40%" as const, sizes: [2, 2, 1] },
    { serial: "1%" as const, sizes: [1, 1, 1, 1, 1] },
    { serial: "100%" as const, sizes: [5] },
    { serial: [1, 2] as const, sizes: [1, 2, 2] },
    { serial: [1, "60%"] as const, sizes: [1, 3, 1] },
  ])("of $serial have $sizes hosts", ({ serial, sizes }) => {
    const made = batches(hosts, serial);
    expect(made.map(({ length }) => length)).toEqual(sizes);
    expect(made.flat()).toEqual(hosts);
  });
  test("are empty if there are no hosts", () => {
    expect([batches([], undefined), batches([], 2)]).toEqual([[], []]);
  });
  test.each([0, -1, Number.NaN, "x%" as never])("cannot have a size of %s", (serial) => {
    expect(() => batches(hosts, serial)).toThrow("serial is not a number of hosts");
  });
});

describe("inParallel", () => {
  test("runs at most as many hosts at a time as the limit allows, in the order of the list", async () => {
    const log: string[] = [];
    let running = 0;
    let most = 0;
    await inParallel(hosts, 2, async (host) => {
      log.push(host);
      most = Math.max(most, (running += 1));
      await sleep(host === "a" ? 20 : 1);
      running -= 1;
    });
    expect([log, most]).toEqual([hosts, 2]);
  });
  test("runs all hosts if the limit is higher than their number", async () => {
    const seen: string[] = [];
    await inParallel(hosts, 100, async (host) => void seen.push(host));
    expect(seen).toEqual(hosts);
  });
});
