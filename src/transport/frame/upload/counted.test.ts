import { expect, test, vi } from "vitest";
import type { Content } from "./content.ts";
import { counted } from "./counted.ts";

test("reports the progress of an upload", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["hrtime", "Date"] });
  try {
    const content: Content = {
      size: 2500,
      sha256: "",
      read: (buffer, _at, length) => Promise.resolve(buffer.subarray(0, length)),
      close: () => Promise.resolve(),
    };
    const told: string[] = [];
    const watched = counted(content, (done, total) => told.push(`${done} of ${total}`));
    for (const [ms, length] of [
      [100, 1000],
      [500, 500],
      [100, 500],
      [600, 500],
    ] as const) {
      vi.advanceTimersByTime(ms);
      expect(await watched.read(Buffer.alloc(1000), 0, length)).toHaveLength(length);
    }
    expect(told).toEqual(["1500 of 2500", "2500 of 2500"]);
  } finally {
    vi.useRealTimers();
  }
});
