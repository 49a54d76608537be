import { expect, test } from "vitest";
import { readTransferLine, transferLine } from "../core/transfer-line.ts";
import { Transfer } from "./transfer.ts";

test("shows the bytes, percent, rate and time left of a download", () => {
  const transfer = new Transfer();
  transfer.take({ done: 0, total: 7_000_000_000 }, 0);
  expect(transfer.text()).toBe("0 B of 7.0 GB, 0 %");
  transfer.take({ done: 90_000_000, total: 7_000_000_000 }, 2000);
  expect(transfer.text()).toBe("90.0 MB of 7.0 GB, 1 %, 45.0 MB/s, 2 min 34 s left");
  transfer.take({ done: 7_000_000_000, total: 7_000_000_000 }, 150_000);
  expect(transfer.text()).toBe("7.0 GB of 7.0 GB, 100 %");
});

test("computes the rate over the last few seconds", () => {
  const transfer = new Transfer();
  for (const [at, done] of [
    [0, 0],
    [10_000, 100_000_000],
    [20_000, 110_000_000],
    [30_000, 120_000_000],
  ] as const) {
    transfer.take({ done, total: 130_000_000 }, at);
  }
  expect(transfer.text()).toBe("120.0 MB of 130.0 MB, 92 %, 1.0 MB/s, 10 s left");
});

test("shows the received bytes and rate of a transfer of unknown size", () => {
  const transfer = new Transfer();
  transfer.take({ done: 1000 }, 0);
  transfer.take({ done: 3000 }, 1000);
  expect(transfer.text()).toBe("3.0 kB, 2.0 kB/s");
  transfer.take({ done: 10 }, 2000);
  expect(transfer.text()).toBe("10 B");
});

test("reads only lines that describe a transfer", () => {
  for (const one of [{ done: 12 }, { done: 12, total: 34 }]) expect(readTransferLine(transferLine(one))).toEqual(one);
  for (const line of ["12 bytes", "furrow: x of 3 bytes", "furrow: 3 bytes more", ""]) {
    expect(readTransferLine(line)).toBeUndefined();
  }
});
