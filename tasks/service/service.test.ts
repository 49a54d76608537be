import { describe, expect, test } from "vitest";
import { absent, isOutdated, knownAfterApply, seenOf, type UnitState, watchedThings } from "../../src/authoring.ts";
import { UnknownValue } from "../../src/core/facts/compare.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { file } from "../file/file.ts";
import { service } from "./service.ts";

const running: UnitState = {
  load: "loaded",
  active: "active",
  sub: "running",
  file: "enabled",
  type: "simple",
  state: "started",
  enabled: true,
  masked: false,
  outdated: false,
  reloadable: true,
  refusesStart: false,
  refusesStop: false,
  lasting: true,
  invocation: "x",
  since: 2_000_000_000,
  startedWith: {},
  reloadedWith: {},
  noted: 0,
  startedBefore: {},
};
const stopped: UnitState = { ...running, active: "inactive", sub: "dead", state: "stopped", since: 0 };
const unitFile = { type: "file", mode: "0644", owner: "root", group: "root", changed: 5 } as const;
const none = {
  files: [absent],
  dropIns: absent,
  loaded: false,
  restartOn: [],
  reloadOn: [],
  restartGone: [],
  reloadGone: [],
};
const nginx = { name: "nginx", state: "started", enabled: true } as const;
const tell = (params: Parameters<typeof service>[0], now: object): Explanation =>
  explain(service(params), { ...none, ...now });

describe("service", () => {
  test.each([
    { what: "a correct unit", now: running, steps: [] },
    { what: "a stopped unit", now: stopped, steps: ["systemctl start nginx.service"] },
    { what: "a failed unit", now: { ...stopped, active: "failed" }, steps: ["systemctl start nginx.service"] },
    {
      what: "a disabled unit",
      now: { ...running, enabled: false, file: "disabled" },
      steps: ["systemctl enable --quiet -- nginx.service"],
    },
    { what: "a unit with a newer file", now: { ...running, outdated: true }, steps: ["systemctl daemon-reload"] },
    {
      what: "a unit that is starting",
      now: { ...running, state: "between" },
      steps: ["systemctl start nginx.service"],
    },
  ] as const)("ensures that $what is started and enabled", ({ now, steps }) => {
    expect(tell(nginx, { unit: now }).described).toEqual(steps);
  });

  test("starts a unit whose file is only predicted", () => {
    const { described, change } = tell(nginx, { unit: absent, files: [unitFile] });
    expect(change).toEqual({ "unit:nginx.service": [""] });
    expect(described).toEqual([
      "systemctl daemon-reload",
      "systemctl enable --quiet -- nginx.service",
      "systemctl start nginx.service",
    ]);
  });

  test("changes nothing for a predicted unit that must not run", () => {
    const now = { unit: absent, files: [unitFile] };
    expect(tell({ name: "nginx", state: "stopped", enabled: false }, now)).toMatchObject({ change: {}, steps: [] });
  });

  test("is certain to load a unit whose file will change, regardless of what a package may install", () => {
    const now = { unit: knownAfterApply, files: [{ ...unitFile, changed: Number.MAX_SAFE_INTEGER }] };
    expect(() => tell(nginx, now)).toThrow(UnknownValue);
    const call = service(nginx);
    const want = call.module.want(
      { name: "nginx", state: "started", enabled: true, restartOn: [], reloadOn: [] } as never,
      { ...none, ...now } as never,
    );
    expect(want).toMatchObject({ loaded: true });
    expect(() => tell(nginx, { unit: knownAfterApply })).toThrow(UnknownValue);
  });

  test("reloads a unit whose drop-ins will change", () => {
    const { described } = tell(nginx, { unit: running, dropIns: knownAfterApply });
    expect(described).toEqual(["systemctl daemon-reload"]);
  });

  test("reloads a unit whose file will change", () => {
    const now = { unit: running, files: [{ ...unitFile, changed: Number.MAX_SAFE_INTEGER }] };
    expect(tell(nginx, now).described).toEqual(["systemctl daemon-reload"]);
  });

  test.each([
    { params: { name: "a", state: "stopped" }, now: running, steps: ["systemctl stop a.service"] },
    {
      params: { name: "a", state: "stopped" },
      now: { ...running, state: "between" },
      steps: ["systemctl stop a.service"],
    },
    { params: { name: "a", state: "stopped" }, now: stopped, steps: [] },
    { params: { name: "a", state: "stopped", enabled: false }, now: absent, steps: [] },
    { params: { name: "a", enabled: false }, now: running, steps: ["systemctl disable --quiet -- a.service"] },
    { params: { name: "a", masked: true }, now: running, steps: ["systemctl mask --quiet -- a.service"] },
    { params: { name: "a", masked: true }, now: absent, steps: ["systemctl mask --quiet -- a.service"] },
    { params: { name: "a", masked: false }, now: absent, steps: [] },
    {
      params: { name: "a", state: "stopped", enabled: false },
      now: { ...stopped, enabled: false, outdated: true },
      steps: [],
    },
    {
      params: { name: "a", state: "started", masked: false },
      now: { ...stopped, masked: true, load: "masked" },
      steps: [
        "systemctl unmask --quiet -- a.service",
        "systemctl unmask --runtime --quiet -- a.service",
        "systemctl start a.service",
      ],
    },
  ] as const)("applies $params to a unit in the state $now.state", ({ params, now, steps }) => {
    expect(tell(params, { unit: now }).described).toEqual(steps);
  });

  test.each([
    { code: "unit-not-found", params: nginx, unit: absent },
    { code: "unit-masked", params: nginx, unit: { ...stopped, masked: true, load: "masked" } },
    { code: "unit-broken", params: nginx, unit: { ...stopped, load: "bad-setting" } },
    { code: "unit-broken", params: nginx, unit: { ...running, load: "error" } },
    { code: "unit-broken", params: { name: "a", enabled: true }, unit: { ...stopped, load: "error", file: "" } },
    { code: "unit-oneshot", params: nginx, unit: { ...stopped, lasting: false } },
    { code: "unit-not-installable", params: nginx, unit: { ...running, enabled: false, file: "static" } },
  ] as const)("refuses with $code", ({ code, params, unit }) => {
    expect(tell(params, { unit }).refusal?.code).toBe(code);
  });

  test("stops and disables a unit whose file systemd cannot read", () => {
    const unit = { ...running, load: "error" };
    expect(tell({ name: "nginx", state: "stopped" }, { unit }).described).toEqual(["systemctl stop nginx.service"]);
  });

  test("does not refuse a unit whose loaded file is broken but older than the file on disk", () => {
    const unit = { ...stopped, load: "bad-setting", outdated: true };
    expect(tell(nginx, { unit }).described).toEqual(["systemctl daemon-reload", "systemctl start nginx.service"]);
  });
});

describe("service with restartOn and reloadOn", () => {
  const conf = file({ path: "/etc/nginx.conf", content: "x" });
  const read = { type: "file", mode: "0644", owner: "root", group: "root", sha256: "aa", changed: 1 };
  const folder = { type: "directory", mode: "0755", owner: "root", group: "root", changed: 9e15 };
  const seen = seenOf(watchedThings([conf], [read, folder]));
  const restart = { ...nginx, restartOn: [conf] };
  const reload = { ...nginx, reloadOn: [conf] };

  test("restarts the unit, and then writes a note of the content that the unit has read", () => {
    const now = { restartOn: [{ ...read, changed: 3_000_000_000 }, folder] };
    const { change, steps, described } = tell(restart, { ...now, unit: running });
    expect(Object.keys(change)).toEqual(["unit:nginx.service"]);
    expect(described).toEqual(["systemctl restart nginx.service", "record what nginx.service has loaded"]);
    const note = steps[1]?.step === "run" ? steps[1].stdin : "";
    expect(note).toMatch(/^start:[\w-]+=\{"group":"root",.*"presence":"present","sha256":"aa","type":"file"\}\n$/);
  });

  test("does nothing, and writes no note, if the note is missing and nothing changed since the start", () => {
    expect(tell(restart, { unit: running, restartOn: [read, folder] }).steps).toEqual([]);
  });

  test("does nothing if the note matches the content of the file, regardless of the file's ctime", () => {
    const unit = { ...running, startedWith: seen };
    expect(tell(restart, { unit, restartOn: [{ ...read, changed: 3e9 }, folder] }).steps).toEqual([]);
  });

  test("only starts a stopped unit, and writes a note", () => {
    const now = { unit: stopped, restartOn: [{ ...read, changed: 3e9 }, folder] };
    expect(tell(restart, now).described).toEqual([
      "systemctl start nginx.service",
      "record what nginx.service has loaded",
    ]);
    expect(tell({ name: "nginx", restartOn: [conf] }, now).steps).toEqual([]);
    expect(tell({ name: "nginx", state: "stopped", restartOn: [conf] }, now).steps).toEqual([]);
  });

  test("reloads the unit for reloadOn, and keeps the note of the content with which the unit started", () => {
    const unit = { ...running, startedWith: { "file:/other": { "": "1" } } };
    const { described, steps } = tell(reload, { unit, reloadOn: [{ ...read, changed: 3e9 }, folder] });
    expect(described).toEqual(["systemctl reload nginx.service", "record what nginx.service has loaded"]);
    expect(steps[1]).toMatchObject({ stdin: expect.stringMatching(/^start:.*\nreload:.*\n$/) as string });
  });

  test("restarts the unit once if a restart and a reload are due", () => {
    const changed = [{ ...read, changed: 3e9 }, folder];
    const now = { unit: running, restartOn: changed, reloadOn: changed };
    expect(tell({ ...nginx, restartOn: [conf], reloadOn: [conf] }, now).described).toHaveLength(2);
  });

  test("refuses to reload a unit that cannot be reloaded", () => {
    const now = { unit: { ...running, reloadable: false }, reloadOn: [read, folder] };
    expect(tell(reload, now).refusal?.code).toBe("unit-not-reloadable");
  });

  test("writes a note that the next read accepts", () => {
    const notes = { seen, earlier: {}, since: 0 };
    expect(isOutdated(watchedThings([conf], [read, folder]), notes)).toBe(false);
  });
});

describe("service's params", () => {
  test.each([
    { params: { name: "a b" }, what: /param "name"/ },
    { params: { name: "getty@" }, what: /param "name"/ },
    { params: { name: "a", state: "running" }, what: /param "state"/ },
    { params: { name: "a", state: "started", masked: true }, what: /param "masked"/ },
    { params: { name: "a", restartOn: ["nginx"] }, what: /param "restartOn.0"/ },
    { params: { name: "a", restartOn: [{ node: "composite" }] }, what: /param "restartOn.0"/ },
    { params: { name: "a", restart: true }, what: /unknown param "restart"/ },
  ])("are refused: $params", ({ params, what }) => {
    expect(() => tell(params as never, { unit: running })).toThrow(what);
  });
});
