import { describe, expect, test } from "vitest";
import { absent, block, on, once, playbook, refuse, secret, task, z } from "../authoring.ts";
import * as t from "../../tasks/index.ts";
import { simulate, type SimulateOptions, type Simulation } from "./index.ts";

type Body = Parameters<typeof playbook>[0]["plays"][number]["tasks"];

const book = (tasks: Body) => playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks }] });
const run = (tasks: Body, options: Partial<SimulateOptions> = {}): Promise<Simulation> =>
  simulate(book(tasks), { hosts: ["web"], ...options });
const outcomes = ({ tasks }: Simulation): string[] => tasks.map(({ outcome }) => outcome);

const unit = "[Service]\nExecStart=/usr/local/bin/app\n[Install]\nWantedBy=multi-user.target\n";
const appOn =
  (port: number): Body =>
  () => {
    const conf = t.file({ path: "/etc/app/app.conf", content: `port = ${port}\n` });
    return [
      t.package({ name: "curl" }),
      t.group({ name: "app" }),
      t.user({ name: "app", groups: ["app"], home: "/srv/app" }),
      t.file({ path: "/etc/app", state: "directory" }),
      conf,
      t.file({ path: "/srv/app/run/tmp", state: "directory", owner: "app" }),
      t.file({ path: "/etc/systemd/system/app.service", content: unit }),
      t.service({ name: "app", state: "started", enabled: true, restartOn: [conf] }),
      t.fileLine({ path: "/etc/app/app.conf.d", line: "x", create: true }),
      t.cron({ name: "app", schedule: "@daily", command: "app rotate" }),
      t.sysctl({ key: "vm.swappiness", value: 10 }),
      t.hostname({ name: "app-1" }),
      t.download({
        url: "http://x/app",
        path: "/usr/local/bin/app",
        checksum: `sha256:${"a".repeat(64)}`,
        mode: "0755",
      }),
      t.command({ command: ["app", "init"], creates: "/srv/app/db" }),
    ];
  };
const app = appOn(1);
const state = { web: { "sysctl:vm/swappiness": "60" } };

describe("simulate", () => {
  test("applies what tasks want, so a second run has nothing to do", async () => {
    const first = await run(app, { state });
    expect(first.result).toMatchObject({ failed: [], unreachable: [], changed: true });
    expect(new Set(outcomes(first))).toEqual(new Set(["changed"]));
    expect(first.state["web"]).toMatchObject({
      "package:curl": { present: true, version: "1.0" },
      "user:app": { groups: ["app"], home: "/srv/app" },
      "file:/etc/app/app.conf": { type: "file", text: "port = 1\n", owner: "root" },
      "file:/srv/app/run": { type: "directory" },
      "unit:app.service": { state: "started", enabled: true, active: "active" },
      "hostname:running": "app-1",
      "file:/srv/app/db": { type: "file" },
    });
    const second = await run(app, { state: first.state });
    expect(second.tasks.filter(({ outcome }) => outcome !== "ok")).toEqual([]);
    expect(second.result.changed).toBe(false);
    expect(second.state).toEqual(first.state);
  });

  test("restarts a unit only if its configuration has changed since its start", async () => {
    const first = await run(app, { state });
    const second = await run(appOn(2), { state: first.state });
    expect(second.tasks.filter(({ outcome }) => outcome === "changed").map(({ steps }) => steps)).toEqual([
      ["write /etc/app/app.conf"],
      ["systemctl restart app.service", "record what app.service has loaded"],
    ]);
  });

  test("restarts a unit that watches a file whose content is an earlier task's output", async () => {
    const tasks: Body = () => {
      const asked = t.command({ command: ["uname"], always: true });
      const conf = t.file({ path: "/etc/app.conf", content: asked.output.map(({ stdout }) => stdout) });
      const unitFile = t.file({ path: "/etc/systemd/system/app.service", content: unit });
      return [asked, conf, unitFile, t.service({ name: "app", state: "started", restartOn: [conf] })];
    };
    const perform = (stdout: string): Partial<SimulateOptions> => ({
      perform: (step) => (step.step === "run" && step.argv[0] === "uname" ? { stdout } : undefined),
    });
    const first = await run(tasks, perform("one\n"));
    expect(outcomes(first)).toEqual(["changed", "changed", "changed", "changed"]);
    const same = await run(tasks, { ...perform("one\n"), state: first.state });
    expect(outcomes(same)).toEqual(["changed", "ok", "ok", "ok"]);
    const other = await run(tasks, { ...perform("two\n"), state: first.state });
    expect(other.tasks.at(-1)).toMatchObject({
      outcome: "changed",
      steps: ["systemctl restart app.service", "record what app.service has loaded"],
    });
    const check = await run(tasks, { ...perform("two\n"), state: first.state, mode: "check" });
    expect(check.tasks.map(({ title, outcome }) => [title, outcome])).toMatchObject([
      ["command uname", "changed"],
      ["file /etc/app.conf", "undecided"],
      ["file /etc/systemd/system/app.service", "ok"],
      ["service app", "undecided"],
    ]);
  });

  test("changes nothing in check mode, and reports the same tasks as a run", async () => {
    const checked = await run(app, { state, mode: "check" });
    const applied = await run(app, { state });
    expect(checked.state).toEqual((await run(() => [], { state })).state);
    const known = checked.tasks.filter(({ outcome }) => outcome !== "undecided");
    expect(known.map(({ title }) => title)).toEqual(
      applied.tasks.filter(({ title }) => known.some((one) => one.title === title)).map(({ title }) => title),
    );
    expect(new Set(known.map(({ outcome }) => outcome))).toEqual(new Set(["changed"]));
  });

  test('runs the tasks of on("localhost") on the controller, without the become of the play', async () => {
    const tasks: Body = () => [
      on("localhost", [
        t.file({ path: "/srv/seen", content: "" }),
        t.command({ command: ["whoami"], always: true }, { become: "ann" }),
      ]),
    ];
    const { state: after, tasks: ends } = await run(tasks);
    expect(ends.map(({ title, outcome }) => [title, outcome])).toEqual([
      ["file /srv/seen", "changed"],
      ["command whoami", "changed"],
    ]);
    expect(after["localhost"]).toMatchObject({ "file:/srv/seen": { type: "file" } });
    expect(after["web"]).not.toHaveProperty("file:/srv/seen");
    await expect(run(() => [on("web9", [t.file({ path: "/srv/x", content: "" })])])).rejects.toThrow('no host "web9"');
  });

  test("removes a directory with its content", async () => {
    const tree = { web: { "file:/srv/old": { type: "directory" }, "file:/srv/old/a/b": { text: "x" } } };
    const gone = await run(() => [t.file({ path: "/srv/old", state: "absent", recursive: true })], { state: tree });
    expect(gone.state["web"]).toMatchObject({ "file:/srv/old": absent, "file:/srv/old/a/b": absent });
  });

  test("adds facts that come with a change, such as a package's unit", async () => {
    const tasks: Body = () => [
      t.package({ name: "nginx" }),
      t.service({ name: "nginx", state: "started", enabled: true }),
    ];
    expect((await run(tasks)).result.errors[0]?.failure.what).toBe("there is no unit named nginx");
    const comesWith = { "package:nginx": { "unit:nginx.service": { state: "started", enabled: true } } };
    expect(outcomes(await run(tasks, { comesWith }))).toEqual(["changed", "ok"]);
  });

  test("takes the results of steps from the test, and lets steps fail", async () => {
    const tasks: Body = () => {
      const asked = t.command({ command: ["uname"], always: true });
      return [
        asked,
        t.file({ path: "/srv/kernel", content: asked.output.map(({ stdout }) => stdout) }),
        block("risky", [t.command({ command: "boom", always: true })], {
          rescue: [t.file({ path: "/srv/rescued", content: "" })],
          always: [t.file({ path: "/srv/always", content: "" })],
        }),
      ];
    };
    const { state: after, tasks: ends } = await run(tasks, {
      perform: (step, host) => {
        if (step.step !== "run") return undefined;
        if (step.argv[0] === "uname") return { stdout: `Linux of ${host}\n` };
        return { exitCode: 7, stderr: "it went boom\n" };
      },
    });
    expect(after["web"]).toMatchObject({ "file:/srv/kernel": { text: "Linux of web\n" }, "file:/srv/rescued": {} });
    expect(ends.find(({ outcome }) => outcome === "failed")?.error).toMatchObject({
      code: "E_STEP",
      failure: { current: "exit code 7", details: ["it went boom"] },
    });
    expect(ends.at(-1)?.title).toBe("file /srv/always");
  });

  test("shares controller facts between hosts, and asks the test for unknown ones", async () => {
    const tasks: Body = () => [t.fetch({ path: "/etc/app.conf", to: "nowhere/app.conf" })];
    const has = { "file:/etc/app.conf": { text: "x" } };
    const { result } = await run(tasks, { hosts: ["a", "b"], state: { a: has, b: has } });
    expect(result.recap.map(({ counts }) => counts.changed + counts.ok)).toEqual([1, 1]);
    const waits: Body = () => [t.httpWait({ url: "http://10.0.0.1/" })];
    const drivers = { http: () => ({ status: 200, headers: {}, body: "" }) };
    expect(outcomes(await run(waits, { drivers }))).toEqual(["ok"]);
    expect((await run(waits)).result.errors[0]?.failure.details).toEqual([
      'a task asks the http driver, but the test has no answer for it: {"url":"http://10.0.0.1/","timeoutSeconds":10,"partial":true}',
    ]);
  });

  test("does not wait, so the condition of a waiting task must already be true", async () => {
    const tasks: Body = () => [t.waitFor({ path: "/run/app.pid" }), t.reboot({ when: "always" })];
    expect((await run(tasks)).result.errors[0]?.code).toBe("E_WAIT");
    expect(outcomes(await run(tasks, { state: { web: { "file:/run/app.pid": { text: "1" } } } }))).toEqual([
      "ok",
      "changed",
    ]);
  });

  test("checks vars, matches patterns, and supports groups, on() and once()", async () => {
    const site = playbook({
      name: "site",
      vars: z.object({ port: z.number(), token: z.string().default("t") }),
      plays: [
        {
          hosts: "web:!web3",
          tasks: ({ vars, host, hosts }) => [
            t.file({ path: "/srv/port", content: `${vars.port} ${host.name} of ${hosts.length}` }),
            on("db", [t.file({ path: `/srv/${host.name}`, content: "" })]),
            once(hosts, [t.file({ path: "/srv/once", content: "" })]),
          ],
        },
      ],
    });
    const hosts = {
      web1: { groups: ["web"], vars: { port: 2 } },
      web2: { groups: ["web"] },
      web3: { groups: ["web"] },
      db: {},
    };
    const { state: after } = await simulate(site, { hosts, vars: { port: 1 } });
    expect(after["web1"]).toMatchObject({ "file:/srv/port": { text: "2 web1 of 2" }, "file:/srv/once": {} });
    expect(after["web2"]).toMatchObject({ "file:/srv/port": { text: "1 web2 of 2" } });
    expect([after["web3"], Object.keys(after["db"] ?? {})]).toEqual([
      {},
      ["entries:/srv", "file:/srv/web1", "file:/srv/web2"],
    ]);
    await expect(simulate(site, { hosts })).rejects.toThrow('missing param "port"');
    await expect(simulate(site, { hosts: ["x"], vars: { port: 1 } })).rejects.toMatchObject({ code: "E_PATTERN" });
  });

  test("creates secrets, and runs plays on hosts that an earlier play has created", async () => {
    const make = task({
      name: "make",
      summary: "Make a host",
      params: z.strictObject({ name: z.string().describe("Its name") }),
      examples: [{ name: "vm" }],
    })
      .facts(() => ({}))
      .want(({ name }) => (name === "" ? refuse({ code: "no-name", message: "no name", hint: "Give one" }) : {}))
      .steps(() => [])
      .outputs(({ name }) => [{ name, address: "10.0.0.9" }]);
    const made = make({ name: "vm" });
    const textFor = (address: string): string => `${address} ${secret.env("TOKEN_OF_A_TEST")}`;
    const cloud = playbook({
      name: "cloud",
      plays: [
        { hosts: "all", tasks: () => [made] },
        { hosts: made.output, tasks: ({ host }) => [t.file({ path: "/srv/a", content: textFor(host.address) })] },
      ],
    });
    const { state: after, result } = await simulate(cloud, { hosts: ["controller"] });
    expect(result.errors).toEqual([]);
    expect(after["vm"]?.["file:/srv/a"]).toMatchObject({
      type: "file",
      seal: expect.stringMatching(/^sealed:/) as string,
    });
  });
});

describe("a directory that is a link", () => {
  const conf: Body = () => [t.file({ path: "/srv/current/app.conf", content: "x\n" })];
  const link = { "file:/srv/current": { type: "link", target: "releases/7" } };

  test("is refused if it leads nowhere", async () => {
    expect(outcomes(await run(conf, { state: { web: link } }))).toEqual(["failed"]);
  });
  test("is used if it leads to a directory", async () => {
    const state = { web: { ...link, "file:/srv/releases/7": { type: "directory" } } };
    expect(outcomes(await run(conf, { state }))).toEqual(["changed"]);
  });
});
