import { describe, expect, test } from "vitest";
import { playbook } from "../../src/authoring.ts";
import { explain } from "../../src/testing/explain.ts";
import { simulate } from "../../src/testing/simulate.ts";
import { file } from "../file/file.ts";
import { service } from "./service.ts";

const path = "/etc/systemd/system/app.service";
const content = "[Service]\nExecStart=/bin/app\n[Install]\nWantedBy=multi-user.target\n";
const masked = {
  load: "masked",
  active: "inactive",
  sub: "dead",
  file: "masked",
  type: "simple",
  state: "stopped",
  enabled: false,
  masked: true,
  outdated: false,
  reloadable: false,
  refusesStart: false,
  refusesStop: false,
  lasting: true,
  invocation: "x",
  since: 0,
  startedWith: {},
  reloadedWith: {},
  noted: 0,
  startedBefore: {},
} as const;
const state = {
  a: { "unit:app.service": masked, [`file:${path}`]: { type: "link" as const, target: "/dev/null" } },
};

/** Returns how a service task ends in check mode after a task that replaces the mask of the unit. */
async function after(text: string, params: Omit<Parameters<typeof service>[0], "name">): Promise<unknown> {
  const tasks = () => [file({ path, content: text }), service({ name: "app", ...params })];
  const book = playbook({ name: "mask", plays: [{ hosts: "a", tasks }] });
  const { tasks: ends } = await simulate(book, { hosts: ["a"], state, mode: "check" });
  return ends.map(({ outcome, error }) => error?.failure.details?.[0] ?? outcome).at(1);
}

describe("a masked unit whose mask an earlier task replaces with a file", () => {
  test("can be started and enabled", async () => {
    expect(await after(content, { state: "started" })).toBe("changed");
    expect(await after(content, { state: "started", enabled: true })).toBe("changed");
  });

  test("is refused if its new file does not allow the desired state", async () => {
    const oneshot = "[Service]\nType=oneshot\nExecStart=/bin/app\n";
    expect(await after(oneshot, { state: "started" })).toBe("refused: unit-oneshot");
    expect(await after(oneshot, { enabled: true })).toBe("refused: unit-not-installable");
    expect(await after(content, { masked: true })).toBe("refused: unit-file-in-the-way");
  });

  test("stays masked if the new file is empty", async () => {
    expect(await after("", { state: "started" })).toBe("refused: unit-masked");
  });

  test("is loaded again in the run, where systemd may still have the mask in memory", () => {
    const now = {
      unit: { ...masked, outdated: true },
      files: [{ type: "file", mode: "0644", owner: "root", group: "root", changed: 5 }],
      dropIns: { names: [] },
      loaded: false,
      restartOn: [],
      reloadOn: [],
      restartGone: [],
      reloadGone: [],
    };
    const { described } = explain(service({ name: "app", state: "started" }), now);
    expect(described).toEqual(["systemctl daemon-reload", "systemctl start app.service"]);
  });
});
