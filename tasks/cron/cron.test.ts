import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/explain.ts";
import { cron } from "./cron.ts";

const root = {
  uid: 0,
  group: "root",
  groups: [],
  member: { root: true },
  home: "/root",
  shell: "/bin/sh",
  comment: "",
};
const here = {
  user: root,
  program: { path: "/usr/bin/crontab" },
  daemons: [{ path: "/usr/sbin/cron" }],
  daemonFiles: [absent, absent, absent],
  crontab: absent,
  file: absent,
  folder: { type: "directory" },
};
const watchdog = { name: "watchdog", schedule: "*/2 * * * *", command: "/bin/watch" } as const;
const block = "# furrow: watchdog\n*/2 * * * * /bin/watch\n";
const tell = (params: Parameters<typeof cron>[0], now: object = {}): Explanation =>
  explain(cron(params), { ...here, ...now });

describe("cron in a user's crontab", () => {
  test("installs the whole crontab through stdin", () => {
    const { change, steps, described } = tell(watchdog, { crontab: { text: "1 1 * * * a\n" } });
    expect(change).toEqual({ "crontab:root": ["text"] });
    expect(described).toEqual(["install the crontab of root"]);
    expect(steps[0]).toMatchObject({ stdin: `1 1 * * * a\n${block}` });
  });
  test("creates a crontab for a user without one", () => {
    expect(tell(watchdog).steps[0]).toMatchObject({ stdin: block });
  });
  test("leaves a correct crontab alone", () => {
    expect(tell(watchdog, { crontab: { text: block } }).steps).toEqual([]);
  });
  test("removes a crontab only if its last line is removed", () => {
    const gone = { name: "watchdog", state: "absent" } as const;
    expect(tell(gone, { crontab: { text: block } }).described).toEqual(["remove the crontab of root"]);
    expect(tell(gone, { crontab: { text: `A=1\n${block}` } }).steps[0]).toMatchObject({ stdin: "A=1\n" });
    expect(tell(gone, { crontab: absent }).steps).toEqual([]);
    expect(tell(gone, { crontab: absent, program: absent, user: absent }).steps).toEqual([]);
    expect(tell(gone, { crontab: { text: "" } }).steps).toEqual([]);
  });
  test("sets environment lines", () => {
    const { steps } = tell({ ...watchdog, env: { MAILTO: "", PATH: "/bin" } }, { crontab: { text: "# top\n" } });
    expect(steps[0]).toMatchObject({ stdin: `# top\nMAILTO=""\nPATH=/bin\n${block}` });
  });
  test.each([
    { code: "no-cron", user: "root", now: { program: absent } },
    { code: "no-user", user: "web", now: { user: absent } },
  ])("refuses with $code", ({ code, user, now }) => {
    expect(tell({ ...watchdog, user }, now).refusal?.code).toBe(code);
  });
});

describe("cron in /etc/cron.d", () => {
  test("names the user in the line", () => {
    const { steps } = tell({ ...watchdog, file: "furrow", user: "nobody" });
    expect(steps).toEqual([
      {
        step: "writeFile",
        path: "/etc/cron.d/furrow",
        text: "# furrow: watchdog\n*/2 * * * * nobody /bin/watch\n",
        replaces: null,
        mode: "0644",
        owner: "root",
        group: "root",
      },
    ]);
  });
  test("removes a file that would become empty", () => {
    const file = { type: "file", mode: "0644", owner: "root", group: "root", text: block };
    expect(tell({ name: "watchdog", state: "absent", file: "furrow" }, { file }).described).toEqual([
      "remove /etc/cron.d/furrow",
    ]);
  });
  test("refuses if no daemon would read the file, although another package made /etc/cron.d", () => {
    const { refusal } = tell({ ...watchdog, file: "furrow" }, { daemons: [absent, absent] });
    expect(refusal).toMatchObject({ code: "no-cron", message: expect.stringContaining("no cron daemon") as string });
  });
  test("removes the file without a daemon", () => {
    const file = { type: "file", mode: "0644", owner: "root", group: "root", text: block };
    const gone = tell({ name: "watchdog", state: "absent", file: "furrow" }, { file, daemons: [absent] });
    expect(gone.described).toEqual(["remove /etc/cron.d/furrow"]);
  });
  test("refuses if the directory does not exist", () => {
    expect(tell({ ...watchdog, file: "furrow" }, { folder: absent }).refusal?.code).toBe("no-cron");
  });
});

describe("cron's params", () => {
  test.each(["@reboot", "@daily", "0 0 * * 7", "0 9-17/2 1,15 jan mon-fri", "59 23 31 12 *"])(
    "accepts the schedule %s",
    (schedule) => {
      expect(tell({ ...watchdog, schedule }).steps).toHaveLength(1);
    },
  );
  test.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "*/0 * * * *",
    "0 0 31 2 *",
    "0 0 L * *",
    "@fortnightly",
    "5-1 * * * *",
    "* * * * funday",
    " * * * * *",
  ])("refuses the schedule %j", (schedule) => {
    expect(() => tell({ ...watchdog, schedule })).toThrow('param "schedule"');
  });
  test.each([
    { param: "command", params: { ...watchdog, command: "date +%s" } },
    { param: "command", params: { ...watchdog, command: "a\nb" } },
    { param: "name", params: { ...watchdog, name: "a\nb" } },
    { param: "file", params: { ...watchdog, file: "a.conf" } },
    { param: "user", params: { ...watchdog, user: "a b" } },
  ])("refuses the param $param: $params", ({ param, params }) => {
    expect(() => tell(params)).toThrow(`param "${param}"`);
  });
  test.each([
    { param: "name", more: { name: "watch\0dog" } },
    { param: "command", more: { command: "/bin/watch \0" } },
    { param: "env.MAILTO", more: { env: { MAILTO: "\0" } } },
  ])("refuses NUL in $param, because no crontab can contain it", ({ param, more }) => {
    expect(() => tell({ ...watchdog, ...more })).toThrow(`param "${param}"`);
  });
  test("accepts an escaped percent sign", () => {
    expect(tell({ ...watchdog, command: String.raw`date +\%s` }).steps).toHaveLength(1);
  });
});
