import { expect, test } from "vitest";
import { parseInput } from "../../src/core/params/params.ts";
import { explain } from "../../src/testing/index.ts";
import { reboot } from "./reboot.ts";

test("reboots a host that needs it, and reports why", () => {
  const now = { needed: { needed: true, because: ["libc6", "linux-base"] } };
  expect(explain(reboot({}), now)).toMatchObject({
    steps: [{ step: "reboot", deadlineSeconds: 900 }],
    notes: ["the host needs a reboot: libc6, linux-base"],
  });
});

test("does not reboot a host that does not need it", () => {
  expect(explain(reboot({}), { needed: { needed: false, because: [] } })).toMatchObject({ steps: [], notes: [] });
});

test("reboots every time if told to, but only once per run", () => {
  const call = reboot({ when: "always", deadlineSeconds: 60 });
  expect(explain(call, { ran: false }).steps).toEqual([{ step: "reboot", deadlineSeconds: 60 }]);
  expect(explain(call, { ran: true }).steps).toEqual([]);
});

test.each([
  { input: { when: "never" }, expected: '"ifNeeded" or "always"' },
  { input: { deadlineSeconds: 0 }, expected: "a positive number of seconds" },
])("refuses bad params and names the expected form: $expected", ({ input, expected }) => {
  const failure = expect.objectContaining({ expected }) as object;
  expect(() => parseInput(reboot.card.params, input, {})).toThrow(expect.objectContaining({ failure }) as Error);
});
