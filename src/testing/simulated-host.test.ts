import { tmpdir } from "node:os";
import { join } from "node:path";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { playbook } from "../authoring.ts";
import * as t from "../../tasks/index.ts";
import { simulate, type SimulateOptions, type Simulation } from "./index.ts";

type Body = Parameters<typeof playbook>[0]["plays"][number]["tasks"];

const run = (tasks: Body, options: Partial<SimulateOptions> = {}): Promise<Simulation> =>
  simulate(playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks }] }), { hosts: ["web"], ...options });
const outcomes = ({ tasks }: Simulation): string[] => tasks.map(({ outcome }) => outcome);

describe("a simulated host", () => {
  test("answers a web request from the host with the test's driver or from the state, without an E_BUG", async () => {
    const url = "http://127.0.0.1/";
    const waits: Body = () => [t.httpWait({ url, from: "host", deadlineSeconds: 5 })];
    const without = await run(waits);
    expect(without.result.errors.map(({ code, failure }) => [code, failure.details])).toEqual([
      [
        "E_WAIT",
        [
          "last answer, requested from the host: no answer: the test has no answer: provide one with drivers: { http: (request) => … }",
        ],
      ],
    ]);
    const drivers = { http: () => Promise.resolve({ status: 200 }) };
    expect(outcomes(await run(waits, { drivers }))).toEqual(["ok"]);
    const ids = [`hostHttp:{"url":"${url}","timeoutSeconds":10}`, `hostHttp:${url}`];
    for (const id of ids) {
      expect(outcomes(await run(waits, { state: { web: { [id]: { status: 200, body: "x" } } } }))).toEqual(["ok"]);
    }
  });

  test("has the groups, kernel parameters and files of a fresh Debian host", async () => {
    const ends = await run(() => [
      t.sysctl({ key: "net.ipv4.ip_forward", value: 1 }),
      t.sysctl({ key: "fs.inotify.max_user_watches", value: 524_288 }),
      t.user({ name: "mona", groups: ["adm", "sudo"] }),
      t.fetch({ path: "/etc/hostname", to: "nowhere/hostname" }),
      t.file({ path: "/etc/hostname", content: "simulated\n" }),
      t.file({ path: "/srv/page", content: "", owner: "www-data", group: "www-data" }),
      t.group({ name: "adm" }),
      t.user({ name: "www-data" }),
    ]);
    expect(ends.tasks.map(({ title, outcome, error }) => [title, outcome, error?.message])).toEqual([
      ["sysctl net.ipv4.ip_forward = 1", "changed", undefined],
      ["sysctl fs.inotify.max_user_watches = 524288", "changed", undefined],
      ["user mona", "changed", undefined],
      ["fetch /etc/hostname to nowhere/hostname", "changed", undefined],
      ["file /etc/hostname", "ok", undefined],
      ["file /srv/page", "changed", undefined],
      ["group adm", "ok", undefined],
      ["user www-data", "ok", undefined],
    ]);
    const missing = await run(() => [t.sysctl({ key: "net.made.up", value: 1 })]);
    expect(missing.result.errors[0]?.failure.what).toBe("this kernel has no parameter net.made.up");
  });

  test("suggests how to make the condition of a wait true, because a simulation does not wait", async () => {
    const [error] = (await run(() => [t.waitFor({ path: "/run/app.pid" })])).result.errors;
    expect(error?.failure).toMatchObject({
      what: "a simulation does not wait, but a task waits for /run/app.pid to be present",
      hint: "Make it true before the wait: in the test's state, in comesWith or with a driver",
    });
  });

  test("suggests `provides` in the hint if a package may create the missing folder of a file that check mode refuses", async () => {
    const conf = t.file({ path: "/etc/nginx/conf.d/site.conf", content: "" });
    const hintOf = async (tasks: Body, mode: "check" | "apply") =>
      (await run(tasks, { mode })).result.errors[0]?.failure.hint;
    const put = 'Put file({ path: "/etc/nginx/conf.d", state: "directory" }) before this task';
    const nginx = t.package({ name: ["nginx-light"] });
    expect(await hintOf(() => [nginx, conf], "check")).toBe(
      `${put}; or, if package nginx-light creates it, add provides: ["file:/etc/nginx/conf.d"] to that task`,
    );
    const script = t.command({ command: ["setup"], always: true, mayProvide: ["unit:x.service"] });
    expect(await hintOf(() => [script, conf], "check")).toBe(
      `${put}; or, if command setup creates it, add mayProvide: ["file:/etc/nginx/conf.d"] to that task`,
    );
    expect(await hintOf(() => [conf], "check")).toBe(put);
    expect(await hintOf(() => [nginx, conf], "apply")).toBe(put);
    const line = t.fileLine({ path: "/etc/nginx/conf.d/site.conf", line: "x", create: true });
    expect(await hintOf(() => [nginx, line], "check")).toContain("if package nginx-light creates it");
  });

  test("reads a directory of this machine if the test gives no driver", async () => {
    const path = mkdtempSync(join(tmpdir(), "furrow-tree-"));
    try {
      writeFileSync(join(path, "index.html"), "hello\n");
      const copied = await run(() => [t.directoryTree({ path: "/srv/www", source: path })]);
      expect(copied.result.errors).toEqual([]);
      expect(outcomes(copied)).toEqual(["changed"]);
      const again = await run(() => [t.directoryTree({ path: "/srv/www", source: path })], { state: copied.state });
      expect(outcomes(again)).toEqual(["ok"]);
    } finally {
      rmSync(path, { recursive: true });
    }
  });
});
