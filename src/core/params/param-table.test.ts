import { expect, it } from "vitest";
import { z } from "zod";
import { foldedSets, paramSets } from "./param-table.ts";
import { Secret } from "../secrets/secret.ts";

it("lists the name, type, default and text of each param", () => {
  const schema = z.strictObject({
    key: z.string().describe("Name"),
    names: z.union([z.string(), z.array(z.string())]).describe("One or many"),
    state: z.enum(["on", "off"]).default("on").describe("Which"),
    at: z.strictObject({ port: z.int(), host: z.string().optional() }).optional().describe("Where"),
    env: z.record(z.string(), z.number()).optional().describe("Environment"),
    after: z
      .array(z.custom<object>((value) => typeof value === "object" && value !== null && "node" in value))
      .default([])
      .describe("After"),
    any: z.custom().optional().describe("Anything"),
    secret: z
      .union([z.string(), z.instanceof(Secret)])
      .optional()
      .describe("Password"),
  });
  expect(paramSets(schema)).toEqual([
    {
      rows: [
        { name: "key", type: "string", required: true, text: "Name" },
        { name: "names", type: "string | string[]", required: true, text: "One or many" },
        { name: "state", type: '"on" | "off"', required: false, default: '"on"', text: "Which" },
        { name: "at", type: "{ port: number; host?: string }", required: false, text: "Where" },
        { name: "env", type: "Record<string, number>", required: false, text: "Environment" },
        { name: "after", type: "task[]", required: false, default: "[]", text: "After" },
        { name: "any", type: "unknown", required: false, text: "Anything" },
        { name: "secret", type: "string | Secret", required: false, text: "Password" },
      ],
    },
  ]);
});

it("has one set of params for each branch of a union, named after the param that distinguishes the branch", () => {
  const schema = z.union([
    z.strictObject({ state: z.literal("absent").describe("Nothing there") }),
    z.strictObject({ state: z.literal("link").describe("A link"), to: z.string().describe("Target") }),
  ]);
  expect(paramSets(schema).map(({ about, rows }) => [about, rows.map(({ name }) => name)])).toEqual([
    ["Nothing there", ["state"]],
    ["A link", ["state", "to"]],
  ]);
});

it("lists a param only once, before the others, if all branches have it", () => {
  const common = { path: z.string().describe("Path"), mode: z.string().optional().describe("Mode") };
  const branch = (own: object) => z.strictObject({ ...common, force: z.boolean().default(false), ...own });
  const sets = paramSets(
    z.union([
      branch({ state: z.literal("present").describe("Keep it"), size: z.int().describe("Bytes") }),
      branch({ state: z.literal("absent").describe("Remove it"), mode: z.string().optional().describe("Mode") }),
    ]),
  );
  expect(foldedSets(sets).map(({ about, rows }) => [about, rows.map(({ name }) => name)])).toEqual([
    ["Always", ["path", "mode", "force"]],
    ["Keep it", ["state", "size"]],
    ["Remove it", ["state"]],
  ]);
  const others = paramSets(
    z.union([branch({ state: z.literal("a") }), branch({ state: z.literal("b"), mode: z.int() })]),
  );
  expect(foldedSets(others)).toEqual(others);
});
