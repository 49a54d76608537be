import { describe, expect, test } from "vitest";
import { absent, playbook, type UnitState } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/simulate.ts";
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

describe("a unit that two tasks name after its file has changed", () => {
  const path = "/etc/systemd/system/own.service";
  const dropIn = (name: string) => file({ path: `${path}.d/${name}.conf`, content: "[Service]\nRestart=always\n" });
  const started = service({ name: "own", state: "started", enabled: true });
  const state = {
    metal: {
      "unit:own.service": { ...running, outdated: false },
      [`file:${path}`]: { type: "file" as const, text: "[Service]\nExecStart=/bin/old\n" },
      [`file:${path}.d`]: { type: "directory" as const },
    },
  };
  const outcomes = async (...tasks: readonly ReturnType<typeof file | typeof service>[]): Promise<string[]> => {
    const book = playbook({ name: "twice", plays: [{ hosts: "all", tasks: () => tasks }] });
    const run = await simulate(book, { hosts: ["metal"], state, mode: "check" });
    return run.tasks.map(({ outcome }) => outcome);
  };
  const unitText = file({ path, content: "[Service]\nExecStart=/bin/new\n" });

  test("is loaded again only by the first task, in check mode and in the run", async () => {
    expect(await outcomes(unitText, started, service({ name: "own", enabled: true }))).toEqual([
      "changed",
      "changed",
      "ok",
    ]);
    expect(await outcomes(dropIn("a"), started, started)).toEqual(["changed", "changed", "ok"]);
  });

  test("is loaded again if the file changes once more between the tasks", async () => {
    expect(await outcomes(dropIn("a"), started, dropIn("b"), started, started)).toEqual([
      "changed",
      "changed",
      "changed",
      "changed",
      "ok",
    ]);
  });

  test("is not loaded again by the second task if the unit is new", async () => {
    const fresh = file({ path: "/etc/systemd/system/fresh.service", content: "[Service]\nExecStart=/bin/new\n" });
    const tasks = [fresh, service({ name: "fresh", state: "started" }), service({ name: "fresh", masked: false })];
    const book = playbook({ name: "new", plays: [{ hosts: "all", tasks: () => tasks }] });
    const nothing = { "unit:fresh.service": absent, "file:/etc/systemd/system/fresh.service": absent };
    const run = await simulate(book, {
      hosts: ["metal"],
      state: { metal: { ...state["metal"], ...nothing } },
      mode: "check",
    });
    expect(run.tasks.map(({ outcome }) => outcome)).toEqual(["changed", "changed", "ok"]);
  });
});
