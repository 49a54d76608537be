import { describe, expect, test } from "vitest";
import { gptAreas, gptExtents, type GptLayout, partitionSpan, tableSectors, tableState } from "./own-gpt.ts";

const mebi = 1 << 20;
const layout = (sectorBytes: number, name: string): GptLayout => ({
  diskBytes: 1024 * mebi,
  sectorBytes,
  diskUuid: "11111111-2222-3333-4444-555555555555",
  partitionUuid: "66666666-2222-3333-4444-555555555555",
  name,
});

type Areas = ReturnType<typeof gptAreas>;

describe.each([512, 4096])("a partition table with sectors of %i bytes", (sectorBytes) => {
  const before = layout(sectorBytes, "furrow-unfinished");
  const after = layout(sectorBytes, "furrow");
  const blank = {
    head: new Uint8Array(gptAreas(before).head.length),
    tail: new Uint8Array(gptAreas(before).tail.length),
  };

  /** Both areas once the first `sectors` sectors of the table, counted in write order, have been written. */
  function written(start: Areas, target: GptLayout, sectors: number): Areas {
    const areas = { head: Uint8Array.from(start.head), tail: Uint8Array.from(start.tail) };
    const [head, entries, last] = gptExtents(target);
    const tailStart = target.diskBytes / sectorBytes - tableSectors(sectorBytes).tail;
    const all = [last, entries, head].flatMap(({ sector, bytes }) =>
      Array.from({ length: bytes.length / sectorBytes }, (_, index) => ({
        sector: sector + index,
        bytes: bytes.subarray(index * sectorBytes, (index + 1) * sectorBytes),
      })),
    );
    for (const { sector, bytes } of all.slice(0, sectors)) {
      if (sector < tailStart) areas.head.set(bytes, sector * sectorBytes);
      else areas.tail.set(bytes, (sector - tailStart) * sectorBytes);
    }
    return areas;
  }

  test("is recognized, whichever sector its first write stopped after", () => {
    const states = [0, 1, 2, 3, 4, 5].map((sectors) => tableState(written(blank, before, sectors), before, after));
    expect(states).toEqual(["blank", "partly-before", "partly-before", "partly-before", "partly-before", "before"]);
  });

  test("is recognized, whichever sector a rename stopped after", () => {
    const whole = gptAreas(before);
    const states = [0, 1, 2, 3, 4, 5].map((sectors) => tableState(written(whole, after, sectors), before, after));
    expect(states).toEqual(["before", "between", "between", "between", "between", "after"]);
  });

  test("is foreign when a single byte of either area matches neither version", () => {
    for (const start of [blank, gptAreas(before), gptAreas(after), written(blank, before, 2)]) {
      for (const [area, at] of [
        ["head", 0],
        ["head", start.head.length - 1],
        ["tail", 700],
        ["tail", start.tail.length - 1],
      ] as const) {
        const areas = { head: Uint8Array.from(start.head), tail: Uint8Array.from(start.tail) };
        areas[area].set([(areas[area].at(at) ?? 0) ^ 0x40], at);
        expect(tableState(areas, before, after)).toBe("foreign");
      }
    }
  });

  test("is foreign if its ids belong to another disk, or if there is only a protective MBR", () => {
    expect(
      tableState(gptAreas({ ...before, partitionUuid: "76666666-2222-3333-4444-555555555555" }), before, after),
    ).toBe("foreign");
    const head = Uint8Array.from(blank.head);
    head.set(gptAreas(before).head.subarray(0, sectorBytes));
    expect(tableState({ ...blank, head }, before, after)).toBe("foreign");
  });

  test("places its partition between the two copies, in whole MiB", () => {
    for (const diskBytes of [64 * mebi, 64 * mebi + 512 * 8, 100_000_000_000 - (100_000_000_000 % 4096)]) {
      const { start, size } = partitionSpan({ diskBytes, sectorBytes });
      expect([start % mebi, size % mebi]).toEqual([0, 0]);
      expect(start + size).toBeLessThanOrEqual(diskBytes - tableSectors(sectorBytes).tail * sectorBytes);
      expect(start + size).toBeGreaterThan(diskBytes - 3 * mebi);
    }
  });
});
