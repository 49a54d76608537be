import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { file as fileFact, task, z } from "../../src/authoring.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { file } from "../file/file.ts";
import { service } from "./service.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => void (host = await oneLabHost("service-task")));
afterAll(() => host.down());

const pid = async (unit: string): Promise<string> => host.sh(`systemctl show -p MainPID --value ${unit}`);

/** Returns the text of a unit. `content` is the shell command that its daemon runs. */
const daemon = (content = "exec sleep 1000"): string => `[Service]
ExecStart=/bin/sh -c '${content}'
ExecReload=/bin/true
[Install]
WantedBy=multi-user.target
`;
const unitFile = (unit: string, content = daemon()) => file({ path: `/etc/systemd/system/${unit}.service`, content });

describe("a unit that the playbook itself defines", () => {
  const conf = (content: string) => file({ path: "/etc/own.conf", content });
  const nodes = (content: string, unit = daemon()) => {
    const watched = [conf(content), unitFile("own", unit)] as const;
    return [...watched, service({ name: "own", state: "started", enabled: true, restartOn: watched })] as const;
  };

  test("is predicted in check mode before its file exists, then started and enabled, and then left alone", async () => {
    expect(outcomes(await host.check(...nodes("a")))).toEqual(["changed", "changed", "changed"]);
    const ends = await host.apply(...nodes("a"));
    expect(outcomes(ends)).toEqual(["changed", "changed", "changed"]);
    expect(ends[2]?.steps).toEqual([
      "systemctl enable --quiet -- own.service",
      "systemctl start own.service",
      "record what own.service has loaded",
    ]);
    expect(outcomes(await host.apply(...nodes("a")))).toEqual(["ok", "ok", "ok"]);
    expect(outcomes(await host.check(...nodes("a")))).toEqual(["ok", "ok", "ok"]);
  });

  test("is restarted once when a watched file changes, as check mode predicts", async () => {
    const before = await pid("own");
    expect(outcomes(await host.check(...nodes("b")))).toEqual(["changed", "ok", "changed"]);
    expect(outcomes(await host.apply(...nodes("b")))).toEqual(["changed", "ok", "changed"]);
    const after = await pid("own");
    expect(after).not.toBe(before);
    expect(outcomes(await host.apply(...nodes("b")))).toEqual(["ok", "ok", "ok"]);
    expect(await pid("own")).toBe(after);
  });

  test("is restarted after a run that was killed between writing the file and the restart", async () => {
    const before = await pid("own");
    expect(outcomes(await host.apply(conf("c")))).toEqual(["changed"]);
    expect(outcomes(await host.check(...nodes("c")))).toEqual(["ok", "ok", "changed"]);
    expect(outcomes(await host.apply(...nodes("c")))).toEqual(["ok", "ok", "changed"]);
    expect(await pid("own")).not.toBe(before);
  });

  test("is not restarted after a run that was killed between the restart and writing the note", async () => {
    expect(outcomes(await host.apply(conf("d")))).toEqual(["changed"]);
    await host.sh("sleep 0.1; systemctl restart own");
    expect(outcomes(await host.apply(...nodes("d")))).toEqual(["ok", "ok", "ok"]);
  });

  test("is not restarted after a boot, which removes the notes", async () => {
    await host.reboot();
    await host.sh("[ ! -e /run/furrow/units ] && systemctl is-active own");
    expect(outcomes(await host.check(...nodes("d")))).toEqual(["ok", "ok", "ok"]);
    expect(outcomes(await host.apply(...nodes("d")))).toEqual(["ok", "ok", "ok"]);
  });

  test("is restarted once if it has no note and a file changed after the start, even with an old mtime", async () => {
    await host.sh("rm -rf /run/furrow/units; printf e >/etc/own.conf; touch -d 2001-01-01 /etc/own.conf");
    expect(outcomes(await host.apply(...nodes("e")))).toEqual(["ok", "ok", "changed"]);
    expect(outcomes(await host.apply(...nodes("e")))).toEqual(["ok", "ok", "ok"]);
  });

  test("is not restarted for a newer mtime or ctime if its note says that it has read the content", async () => {
    await host.sh("touch /etc/own.conf");
    expect(outcomes(await host.apply(...nodes("e")))).toEqual(["ok", "ok", "ok"]);
  });

  test("is loaded again and restarted when its own file changes", async () => {
    const unit = daemon("exec sleep 2000");
    expect(outcomes(await host.check(...nodes("e", unit)))).toEqual(["ok", "changed", "changed"]);
    const ends = await host.apply(...nodes("e", unit));
    expect(outcomes(ends)).toEqual(["ok", "changed", "changed"]);
    expect(ends[2]?.steps[0]).toBe("systemctl daemon-reload");
    expect(await host.sh("systemctl show -p NeedDaemonReload --value own")).toBe("no\n");
    expect(outcomes(await host.apply(...nodes("e", unit)))).toEqual(["ok", "ok", "ok"]);
  });

  test("is loaded again but not restarted when its own file changes and is not watched", async () => {
    const nodes = [unitFile("own"), service({ name: "own", state: "started" })] as const;
    const before = await pid("own");
    expect(outcomes(await host.check(...nodes))).toEqual(["changed", "changed"]);
    const ends = await host.apply(...nodes);
    expect(outcomes(ends)).toEqual(["changed", "changed"]);
    expect(ends[1]?.steps).toEqual(["systemctl daemon-reload"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok"]);
    expect(await pid("own")).toBe(before);
  });

  test("is stopped and masked, and is refused if it must start while it is masked", async () => {
    await host.sh("rm /etc/systemd/system/own.service; systemctl stop own; systemctl daemon-reload");
    await host.apply(file({ path: "/usr/lib/systemd/system/own.service", content: daemon() }));
    const gone = service({ name: "own", state: "stopped", masked: true });
    expect(outcomes(await host.apply(service({ name: "own", state: "started", enabled: true })))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
    const [refused] = await host.check(service({ name: "own", state: "started" }));
    expect(refused?.error?.code).toBe("E_REFUSED");
    const back = service({ name: "own", state: "started", enabled: true, masked: false });
    expect(outcomes(await host.apply(back))).toEqual(["changed"]);
    expect(outcomes(await host.apply(back))).toEqual(["ok"]);
  });
});

describe("a unit that others started before its watched file was written", () => {
  test("is restarted in the same run, or in the next run if the first was killed", async () => {
    await host.apply(unitFile("early"));
    await host.sh("systemctl daemon-reload; systemctl start early");
    const conf = file({ path: "/etc/early.conf", content: "x" });
    const nodes = [conf, service({ name: "early", state: "started", restartOn: [conf] })] as const;
    expect(outcomes(await host.check(...nodes))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(conf))).toEqual(["changed"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "changed"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok"]);
  });
});

/** Does what package scripts do: installs a unit and starts it. */
const bring = task({
  name: "bring",
  summary: "Install a unit as a package does",
  params: z.strictObject({ unit: z.string() }),
  examples: [],
  mayProvide: () => ["unit:*", "user:*"],
})
  .facts(({ unit }) => ({ file: fileFact(`/usr/lib/systemd/system/${unit}.service`) }))
  .want(() => ({ file: { type: "file" } }))
  .steps(({ unit }) => [
    { step: "writeFile", path: `/usr/lib/systemd/system/${unit}.service`, text: daemon() },
    { step: "run", argv: ["systemctl", "start", unit] },
  ]);

describe("a unit that a package installs and starts", () => {
  test("is undecided in check mode, and runs with its configuration after the run", async () => {
    const conf = file({ path: "/etc/brought.conf", content: `token ${secretOf("hunter2", "token")}` });
    const nodes = [
      bring({ unit: "brought" }),
      conf,
      service({ name: "brought", state: "started", enabled: true, restartOn: [conf] }),
    ] as const;
    const checked = await host.check(...nodes);
    expect(outcomes(checked)).toEqual(["changed", "changed", "undecided"]);
    expect(checked[2]?.dependsOn).toBe("bring brought");
    const ends = await host.apply(...nodes);
    expect(outcomes(ends)).toEqual(["changed", "changed", "changed"]);
    expect(ends[2]?.steps).toContain("systemctl restart brought.service");
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok", "ok"]);
    expect(await host.sh("cat /run/furrow/units/*; journalctl -q --no-pager")).not.toContain("hunter2");
  });

  test("does not make another unit of the playbook undecided", async () => {
    const own = unitFile("beside");
    const nodes = [
      bring({ unit: "other" }),
      own,
      service({ name: "beside", state: "started", enabled: true }),
    ] as const;
    expect(outcomes(await host.check(...nodes))).toEqual(["changed", "changed", "changed"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["changed", "changed", "changed"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok", "ok"]);
  });
});

describe("a restart that fails", () => {
  test("is repeated by each run until it succeeds", async () => {
    const script = ". /etc/picky.conf && exec sleep 1000";
    await host.apply(unitFile("picky", daemon(script)));
    const nodes = (content: string) => {
      const conf = file({ path: "/etc/picky.conf", content });
      return [conf, service({ name: "picky", state: "started", restartOn: [conf] })] as const;
    };
    expect(outcomes(await host.apply(...nodes("true\n")))).toEqual(["changed", "changed"]);
    const [, failed] = await host.apply(...nodes("exit 7\n"));
    expect(failed?.error?.code).toBe("E_STEP");
    expect((await host.apply(...nodes("exit 7\n"))).map(({ outcome }) => outcome)).toEqual(["ok", "failed"]);
    expect(outcomes(await host.apply(...nodes("true\n")))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(...nodes("true\n")))).toEqual(["ok", "ok"]);
  });
});

describe("a unit that watches an absent file", () => {
  test("is restarted after the file is removed, if necessary by the next run, and not again if others have restarted it", async () => {
    await host.apply(unitFile("sites"));
    await host.sh("touch /etc/default-site");
    const gone = file({ path: "/etc/default-site", state: "absent" });
    const nodes = [gone, service({ name: "sites", state: "started", restartOn: [gone] })] as const;
    await host.sh("systemctl daemon-reload; systemctl start sites");
    expect(outcomes(await host.check(...nodes))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok"]);
    await host.sh("rm -r /run/furrow/units; systemctl restart sites");
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok"]);
    await host.sh("touch /etc/default-site");
    expect(outcomes(await host.apply(gone))).toEqual(["changed"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "changed"]);
  });
});

describe("a unit that reloads", () => {
  const nodes = (content: string) => {
    const watched = file({ path: "/etc/gentle.conf", content });
    return [watched, service({ name: "gentle", state: "started", reloadOn: [watched] })] as const;
  };
  const reloads = { steps: expect.arrayContaining(["systemctl reload gentle.service"]) as string[] };

  test("keeps its process, and is reloaded once for each change", async () => {
    await host.apply(unitFile("gentle"));
    expect(outcomes(await host.apply(...nodes("a")))).toEqual(["changed", "changed"]);
    const before = await pid("gentle");
    expect(outcomes(await host.check(...nodes("b")))).toEqual(["changed", "changed"]);
    expect((await host.apply(...nodes("b")))[1]).toMatchObject(reloads);
    expect(outcomes(await host.apply(...nodes("b")))).toEqual(["ok", "ok"]);
    expect(await pid("gentle")).toBe(before);
  });

  test("is reloaded when furrow restores a file that someone edited before reloading the unit", async () => {
    for (const round of ["first", "second"]) {
      await host.sh(`echo ${round} >/etc/gentle.conf; systemctl reload gentle`);
      expect(outcomes(await host.check(...nodes("b")))).toEqual(["changed", "changed"]);
      expect((await host.apply(...nodes("b")))[1]).toMatchObject(reloads);
      expect(outcomes(await host.apply(...nodes("b")))).toEqual(["ok", "ok"]);
    }
  });
});

describe("a unit that cannot reach the requested state", () => {
  test("is reported with the last lines of its system log if it exits immediately", async () => {
    await host.apply(unitFile("dying", daemon("echo the config has no listener; exit 3")));
    const [end] = await host.apply(service({ name: "dying", state: "started" }));
    expect(end?.outcome).toBe("failed");
    expect(JSON.stringify(end?.error?.failure)).toContain("the config has no listener");
    await host.apply(unitFile("dying"));
    expect(outcomes(await host.apply(service({ name: "dying", state: "started" })))).toEqual(["changed"]);
  });

  test("is refused if it does not exist, in check mode too", async () => {
    for (const [end] of [
      await host.check(service({ name: "nosuch", state: "started" })),
      await host.apply(service({ name: "nosuch", state: "started" })),
    ]) {
      expect(end?.error?.failure.what).toBe("there is no unit named nosuch");
    }
    expect(outcomes(await host.apply(service({ name: "nosuch", state: "stopped", enabled: false })))).toEqual(["ok"]);
  });

  test("is refused if systemd cannot read its file, whether it must be started or only enabled, in check mode too", async () => {
    // systemd limits the length of a line to one megabyte.
    await host.sh(
      "head -c 3000000 /dev/zero | tr '\\0' x >/etc/systemd/system/endless.service; systemctl daemon-reload",
    );
    expect(await host.sh("systemctl show -p LoadState --value endless")).toBe("error\n");
    for (const asked of [{ state: "started" }, { enabled: true }] as const) {
      const call = service({ name: "endless", ...asked });
      for (const [end] of [await host.check(call), await host.apply(call)])
        expect(end?.error?.failure.details).toContain("refused: unit-broken");
    }
    await host.sh("rm /etc/systemd/system/endless.service; systemctl daemon-reload");
  });

  test("is refused if it cannot be enabled", async () => {
    const [end] = await host.check(service({ name: "systemd-journald", enabled: true }));
    expect(end?.error?.failure.details).toContain("refused: unit-not-installable");
  });
});
