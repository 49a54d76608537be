import { expect, test } from "vitest";
import { z } from "zod";
import { driverFailure } from "./read-facts.ts";

const thrown = (schema: z.ZodType, data: unknown): unknown => schema.safeParse(data).error;

test.each(["digitalOcean", "azure", "gce", "ec2"])(
  "a wrong answer to the %s driver is described in words, not as JSON",
  (driver) => {
    const error = thrown(z.object({ droplet: z.object({ id: z.string(), size: z.number() }) }), {
      droplet: { size: "4" },
    });
    const { what, current, hint } = driverFailure(driver, error).failure;
    expect(what).toBe(`the ${driver} driver received data of the wrong shape`);
    expect(current).toBe(
      "droplet.id: Invalid input: expected string, received undefined; " +
        "droplet.size: Invalid input: expected number, received string",
    );
    expect(hint).toMatch(/^Rerun/);
  },
);

test("the error for an answer with many wrong parts names three of them", () => {
  const error = thrown(z.array(z.string()), [1, 2, 3, 4, 5]);
  expect(driverFailure("gce", error).failure.current).toMatch(/^0: .*; 1: .*; 2: .*; and 2 more$/);
});

test("an answer that is not an object is described too", () => {
  expect(driverFailure("ec2", thrown(z.object({}), "x")).failure.current).toMatch(/^the whole value: /);
});

test("any other failure keeps its message", () => {
  expect(driverFailure("ec2", new Error("it broke")).failure.what).toBe("the ec2 driver failed: it broke");
});
