import { expect, test } from "vitest";
import { Gate } from "./gate.ts";

const { signal } = new AbortController();

test("admits callers in order, and never more at a time than there are places", async () => {
  const gate = new Gate(2);
  const order: number[] = [];
  let inside = 0;
  await Promise.all(
    Array.from({ length: 7 }, async (_, index) => {
      const leave = await gate.enter(signal);
      order.push(index);
      inside += 1;
      expect(inside).toBeLessThanOrEqual(2);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside -= 1;
      leave();
      leave();
    }),
  );
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("gives no place to a caller that gives up while waiting", async () => {
  const gate = new Gate(1);
  const leave = await gate.enter(signal);
  const hurried = new AbortController();
  const given = gate.enter(hurried.signal);
  const patient = gate.enter(signal);
  hurried.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  leave();
  (await patient)();
  (await gate.enter(signal))();
});
