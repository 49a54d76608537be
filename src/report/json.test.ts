import { describe, expect, it } from "vitest";
import { recordedRun } from "../../test/report/recorded-run.ts";
import { FurrowError } from "../core/errors.ts";
import { jsonLine, jsonReport } from "./json.ts";

interface Line {
  readonly schema: number;
  readonly time: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

describe("jsonReport", () => {
  it("prints one JSON object per line, with schema and time", () => {
    let text = "";
    const report = jsonReport(
      (part) => void (text += part),
      () => new Date(0),
    );
    const events = recordedRun("apply");
    for (const event of events) report.handle(event);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    expect(lines.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    expect(new Set(lines.map(({ schema, time }) => `${schema} ${time}`))).toEqual(
      new Set(["2 1970-01-01T00:00:00.000Z"]),
    );
    const failed = lines.find((line) => line["outcome"] === "failed");
    expect(failed?.["error"]).toMatchObject({
      code: "E_STEP",
      what: '"nginx -t" exited with 1',
      details: { length: 2 },
    });
    const unit = lines.find((line) => JSON.stringify(line).includes("invocation"));
    expect(unit?.["changes"]).toMatchObject([
      { differences: [{}, { from: { symbol: "absent" }, to: { symbol: "knownAfterApply" } }] },
    ]);
  });

  it("prints no seal of a secret, and names the field that the seal protects", () => {
    const seals = ["sealed:11aa", "sealed:22bb"] as const;
    const differences = [
      { path: "fields.data.userIDSeal", from: seals[0], to: seals[1] },
      { path: "", from: null, to: { name: "ana", passwordSeal: seals[0] } },
    ];
    const line = JSON.parse(
      jsonLine({ type: "x", changes: [{ fact: "a", differences }] } as never, new Date(0)),
    ) as Line;
    expect(line["changes"]).toEqual([
      {
        fact: "a",
        differences: [
          { path: "fields.data.userID", from: "(secret)", to: "(secret)" },
          { path: "", from: null, to: { name: "ana", password: "(secret)" } },
        ],
      },
    ]);
  });

  it("includes the stack of a bug, but not of an expected failure", () => {
    const line = (error: unknown): Line => JSON.parse(jsonLine({ type: "error", error }, new Date(0))) as Line;
    expect(line(new FurrowError("E_USAGE", { what: "x" }))["error"]).toEqual({ code: "E_USAGE", what: "x" });
    expect(line(new TypeError("y"))["error"]).toMatchObject({ code: "E_BUG", what: "TypeError: y" });
    const bug = new FurrowError("E_BUG", { what: "z", cause: new Error("inner") });
    expect(line(bug)["error"]).toMatchObject({ stack: expect.stringContaining("inner") as string });
  });
});
