import { describe, expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { unitText } from "./params.ts";
import { cases } from "./systemd-unit.cases.ts";
import { systemdUnit } from "./systemd-unit.ts";

test("systemdUnit meets the task contract and does what each case says", () => {
  expect(contractOf(systemdUnit, cases, { folder: "systemd-unit" })).toEqual([]);
});

test("names the instances that keep a template from being removed", () => {
  const state = { load: "loaded", file: "enabled", type: "simple" };
  const { refusal } = explain(systemdUnit({ name: "worker@.service", state: "absent" }), {
    file: { type: "file", mode: "0644", owner: "root", group: "root", text: "" },
    family: { names: ["worker@1.service", "worker@2.service", "worker@3.service"] },
    members: [
      { ...state, active: "active", state: "started", enabled: true },
      { ...state, active: "inactive", state: "stopped", enabled: false },
      { ...state, active: "activating", state: "between", enabled: false },
    ],
    loaded: false,
  });
  expect(refusal).toMatchObject({
    code: "unit-in-use",
    current: "worker@1.service (active, enabled), worker@3.service (activating)",
    hint: 'Put service({ name: "worker@1.service", state: "stopped", enabled: false }) before this task, and one for each other instance',
  });
});

const sections = { Service: { ExecStart: "/bin/true" } };

test.each([
  { param: "name", params: { name: "a/b", sections } },
  { param: "name", params: { name: "../x.service", sections } },
  { param: "name", params: { name: "a b.service", sections } },
  { param: "name", params: { name: "x.scope", sections: { Scope: { MemoryMax: "1G" } } } },
  { param: "name", params: { name: "x.device", state: "absent" } },
  { param: "dropIn", params: { name: "a", dropIn: "../x", sections } },
  { param: "dropIn", params: { name: "a", dropIn: "10-x.conf", sections } },
  { param: "sections", params: { name: "a", sections: {} } },
  { param: "sections.Serivce", params: { name: "a", sections: { Serivce: { ExecStart: "/bin/true" } } } },
  { param: "sections.Service", params: { name: "a.timer", sections } },
  { param: "sections.Service", params: { name: "a", sections: { Service: { "Exec Start": "x" } } } },
  { param: "sections.Service.ExecStart", params: { name: "a", sections: { Service: { ExecStart: "a\nUser=root" } } } },
  { param: "sections.Service.ExecStart", params: { name: "a", sections: { Service: { ExecStart: " a" } } } },
  { param: "sections.Service.ExecStart", params: { name: "a", sections: { Service: { ExecStart: "a \\" } } } },
  { param: "sections.Service.ExecStart", params: { name: "a", sections: { Service: { ExecStart: [] } } } },
])("refuses the param $param: $params", ({ param, params }) => {
  expect(() => explain(systemdUnit(params as never), {})).toThrow(`param "${param}`);
});

describe("the text of a unit", () => {
  test("keeps the given order, repeats a setting for each value of a list, and resets a list with an empty value", () => {
    expect(
      unitText({
        Unit: { Description: "a; b # c" },
        Service: { ExecStart: ["", "/bin/a %i", "/bin/b"], CPUWeight: 20, PrivateTmp: false },
        "X-Own": { Note: "" },
      }),
    ).toBe(
      "[Unit]\nDescription=a; b # c\n\n[Service]\nExecStart=\nExecStart=/bin/a %i\nExecStart=/bin/b\nCPUWeight=20\nPrivateTmp=no\n\n[X-Own]\nNote=\n",
    );
  });
});
