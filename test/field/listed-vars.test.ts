import { describe, expect, test } from "vitest";
import type { z } from "zod";
import harvester from "../../playbooks/harvester.ts";
import { entriesOf, partNamed, partsOf, type Schemas } from "../../src/field/listed.ts";
import { Recorder } from "../../src/field/recorder.ts";
import { fieldReport, type Gathered } from "../../src/field/report.ts";

/** A field report with these vars. */
const reported = (vars: Readonly<Record<string, unknown>>, host = "web1") =>
  fieldReport({
    subject: "harvester",
    furrow: "0",
    host: { name: host, address: "192.0.2.1", groups: [] },
    vars,
    schema: harvester.vars,
    secrets: ["token", "password"],
    recorder: new Recorder(),
    asked: [],
    names: [],
  } satisfies Gathered);

interface Def {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly valueType?: z.ZodType;
}

/** Each string that a schema lists, placed in the smallest value of the var that can contain the string. */
function listedIn(schemas: Schemas, around: (value: unknown) => unknown, depth = 0): unknown[] {
  if (depth > 6) return [];
  const here = schemas.flatMap((schema) => {
    const { shape = {}, entries = {}, values = [], valueType } = schema.def as unknown as Def;
    const texts = [...Object.values(entries), ...values].filter((value) => typeof value === "string");
    const parts = Object.keys(shape).flatMap((name) =>
      listedIn(partNamed([schema], name) ?? [], (value) => around({ [name]: value }), depth + 1),
    );
    const list = schema.def.type === "array" || valueType !== undefined ? entriesOf([schema]) : [];
    const wrap = (value: unknown): unknown => around(valueType === undefined ? [value] : { name: value });
    return [...texts.map(around), ...parts, ...listedIn(list, wrap, depth + 1)];
  });
  return [...new Map(here.map((value) => [JSON.stringify(value), value])).values()];
}

const kept = (
  "version prefix nodes witness size emulation firmware disks extraDisks diskDeadlineSeconds adopted network " +
  "ntpServers mirror artifacts webhooks watchdog publicAddress exposure openFirewall ready airGap"
).split(" ");
const cases = kept.flatMap((name) => {
  const schemas = partNamed(partsOf(harvester.vars), name) ?? [];
  return listedIn(schemas, (value) => value).map((value): readonly [string, string, unknown] => [
    name,
    JSON.stringify(value),
    value,
  ]);
});

describe("a field report keeps the values that the playbook's schema lists, so that it can be replayed", () => {
  test("the cases contain the values of emulation, size and firmware", () => {
    const found = cases.map(([name, text]) => `${name} ${text}`);
    for (const one of ['emulation "software"', 'size "medium"', 'firmware "bios"']) expect(found).toContain(one);
  });

  test.each(cases)("%s: %s", (name, _text, value) => {
    expect(reported({ [name]: value }).vars).toEqual({ [name]: value });
  });

  test("versions, including those of release candidates, numbers and booleans", () => {
    const vars = { version: "v1.9.0-rc1", nodes: 3, witness: true };
    expect(reported(vars).vars).toEqual(vars);
  });

  test("a host with the name of a listed value causes no false alarm", () => {
    expect(reported({ emulation: "software" }, "software").vars).toEqual({ emulation: "software" });
  });
});

test("a string that no schema lists is still replaced, even next to a listed one", () => {
  const { vars } = reported({ emulation: "softwar3", prefix: "software", size: "medium" });
  expect(vars).toEqual({ emulation: "name1", prefix: "name2", size: "medium" });
});
