import { expect, test } from "vitest";
import type { FurrowError } from "../errors.ts";
import type { Frame } from "./frame.ts";
import { OneFrame } from "./one-frame.ts";

const question = { kind: "file", key: "/etc/motd", facets: [] };
const acts: Frame = { items: [{ item: "steps", task: "0", title: "service nginx", steps: [] }] };
const reads: Frame = { items: [{ item: "read", questions: [question, question] }] };

test("refuses a second frame on a connection while one is open, and names both frames", () => {
  const line = new OneFrame("web1");
  const end = line.begin(acts);
  expect(() => line.begin(reads)).toThrow(
    expect.objectContaining({
      code: "E_BUG",
      failure: expect.objectContaining({
        where: { host: "web1" },
        details: ["open: steps of service nginx", "second: read of file:/etc/motd and 1 more"],
      }) as unknown,
    }) as FurrowError,
  );
  end();
  expect(line.begin(reads)).toBeTypeOf("function");
});
