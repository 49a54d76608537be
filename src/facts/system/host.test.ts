import { hostname } from "node:os";
import { expect, test } from "vitest";
import { readKind } from "../../testing/read-kind.ts";
import { hostFacts, hostKind } from "./host.ts";

test.each([
  ["sh", "-c"],
  ["busybox", "sh", "-c"],
])("reads host facts with %s, and prints each value back as the lines that it was read from", async (...shell) => {
  const [answer] = await readKind([hostFacts()], { shell });
  const value = hostKind.parse(answer?.lines ?? {}, hostFacts());
  expect(value).toMatchObject({ hostname: hostname(), architecture: expect.stringMatching(/^\w+$/) as string });
  expect(value.processors).toBeGreaterThan(0);
  expect(value.memoryBytes).toBeGreaterThan(1 << 28);
  expect(hostKind.print?.(value, hostFacts())).toEqual(answer?.lines);
});
