import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { service } from "../service/service.ts";
import { systemdUnit } from "./systemd-unit.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => void (host = await oneLabHost("unit-task")));
afterAll(() => host.down());

const own = (seconds: number) =>
  systemdUnit({
    name: "own",
    sections: { Service: { ExecStart: `/bin/sleep ${seconds}` }, Install: { WantedBy: "multi-user.target" } },
  });
const both = (seconds: number) => {
  const unit = own(seconds);
  return [unit, service({ name: "own", state: "started", enabled: true, restartOn: [unit] })] as const;
};
const programOf = (unit: string): Promise<string> =>
  host.sh(`tr '\\0' ' ' </proc/$(systemctl show -p MainPID --value ${unit})/cmdline`);

describe("systemdUnit", () => {
  test("defines a unit that service starts, as check mode predicts, and a rerun changes nothing", async () => {
    expect(outcomes(await host.check(...both(1000)))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(...both(1000)))).toEqual(["changed", "changed"]);
    expect(await programOf("own")).toBe("/bin/sleep 1000 ");
    expect(outcomes(await host.apply(...both(1000)))).toEqual(["ok", "ok"]);
    expect(outcomes(await host.check(...both(1000)))).toEqual(["ok", "ok"]);
  });

  test("a change to the unit restarts it, as check mode predicts, and a rerun changes nothing", async () => {
    expect(outcomes(await host.check(...both(2000)))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(...both(2000)))).toEqual(["changed", "changed"]);
    expect(await programOf("own")).toBe("/bin/sleep 2000 ");
    expect(outcomes(await host.apply(...both(2000)))).toEqual(["ok", "ok"]);
  });

  test("makes systemd load what an interrupted run has written", async () => {
    await host.sh("echo '# later' >>/etc/systemd/system/own.service");
    await host.apply(own(2000));
    await host.sh("sleep 1.1; touch /etc/systemd/system/own.service");
    expect(await host.sh("systemctl show -p NeedDaemonReload --value own")).toBe("yes\n");
    expect(outcomes(await host.apply(own(2000)))).toEqual(["changed"]);
    expect(await host.sh("systemctl show -p NeedDaemonReload --value own")).toBe("no\n");
  });

  test("adds a drop-in to a unit of a package, and removes it", async () => {
    const weight = systemdUnit({ name: "cron", dropIn: "10-weight", sections: { Service: { CPUWeight: 50 } } });
    const shown = (): Promise<string> => host.sh("systemctl show -p CPUWeight --value cron");
    expect(outcomes(await host.apply(weight))).toEqual(["changed"]);
    expect(await shown()).toBe("50\n");
    expect(outcomes(await host.apply(weight))).toEqual(["ok"]);
    expect(outcomes(await host.apply(systemdUnit({ name: "cron", dropIn: "10-weight", state: "absent" })))).toEqual([
      "changed",
    ]);
    expect(await shown()).toBe("[not set]\n");
  });

  test("defines a template, and its instances can be started", async () => {
    const worker = systemdUnit({ name: "worker@.service", sections: { Service: { ExecStart: "/bin/sleep %i" } } });
    const instance = service({ name: "worker@3000.service", state: "started", restartOn: [worker] });
    expect(outcomes(await host.apply(worker, instance))).toEqual(["changed", "changed"]);
    expect(await programOf("worker@3000")).toBe("/bin/sleep 3000 ");
    expect(outcomes(await host.apply(worker, instance))).toEqual(["ok", "ok"]);
  });

  test("makes systemd load a template and its drop-in that an interrupted run has written", async () => {
    const worker = systemdUnit({ name: "worker@.service", sections: { Service: { ExecStart: "/bin/sleep %i" } } });
    const drop = systemdUnit({ name: "worker@.service", dropIn: "10-a", sections: { Service: { CPUWeight: 50 } } });
    const shown = (): Promise<string> => host.sh("systemctl show -p CPUWeight --value worker@3000");
    await host.sh("sleep 1.1; touch /etc/systemd/system/worker@.service");
    expect(outcomes(await host.check(worker))).toEqual(["changed"]);
    expect(outcomes(await host.apply(worker))).toEqual(["changed"]);
    expect(outcomes(await host.apply(worker))).toEqual(["ok"]);
    await host.sh(
      "cd /etc/systemd/system && mkdir worker@.service.d && printf '[Service]\\nCPUWeight=50\\n' >worker@.service.d/10-a.conf",
    );
    expect(await shown()).toBe("[not set]\n");
    expect(outcomes(await host.apply(drop))).toEqual(["changed"]);
    expect(await shown()).toBe("50\n");
    expect(outcomes(await host.apply(drop))).toEqual(["ok"]);
  });

  test("removes a template only after its instances are stopped and disabled, as check mode predicts", async () => {
    const gone = systemdUnit({ name: "worker@.service", state: "absent" });
    await host.sh("mkdir -p /etc/systemd/system/multi-user.target.wants");
    await host.sh(
      "ln -s /etc/systemd/system/worker@.service /etc/systemd/system/multi-user.target.wants/worker@4000.service",
    );
    for (const [end] of [await host.check(gone), await host.apply(gone)]) {
      expect(end?.error?.failure.details).toEqual(["refused: unit-in-use"]);
      expect(end?.error?.failure.current).toBe("worker@3000.service (active), worker@4000.service (inactive, enabled)");
    }
    const stops = ["worker@3000.service", "worker@4000.service"].map((name) =>
      service({ name, state: "stopped", enabled: false }),
    );
    expect(outcomes(await host.check(...stops, gone))).toEqual(["changed", "changed", "changed"]);
    expect(outcomes(await host.apply(...stops, gone))).toEqual(["changed", "changed", "changed"]);
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
  });

  test.each([
    {
      what: "a misspelled setting",
      call: () => systemdUnit({ name: "odd", sections: { Service: { ExecStart: "/bin/true", Restrt: "always" } } }),
      refusal: "not-accepted",
    },
    {
      what: "a unit that a package defines",
      call: () => systemdUnit({ name: "cron", sections: { Service: { ExecStart: "/bin/true" } } }),
      refusal: "packaged-unit",
    },
    {
      what: "an instance of a package's template",
      call: () => systemdUnit({ name: "getty@tty7.service", sections: { Service: { ExecStart: "/bin/true" } } }),
      refusal: "packaged-unit",
    },
    {
      what: "a drop-in for a unit that does not exist",
      call: () => systemdUnit({ name: "none", dropIn: "10-a", sections: { Service: { CPUWeight: 50 } } }),
      refusal: "unit-not-found",
    },
    {
      what: "the removal of a unit that is running",
      call: () => systemdUnit({ name: "own", state: "absent" }),
      refusal: "unit-in-use",
    },
  ])("refuses $what, in check mode and in the run, and changes nothing", async ({ call, refusal }) => {
    const before = await host.sh("cd /etc/systemd/system && find . | sort && cat *.service");
    for (const [end] of [await host.check(call()), await host.apply(call())])
      expect(end?.error?.failure.details).toEqual([`refused: ${refusal}`]);
    expect(await host.sh("cd /etc/systemd/system && find . | sort && cat *.service")).toBe(before);
  });

  test("removes a unit that an earlier task stops", async () => {
    const stop = service({ name: "own", state: "stopped", enabled: false });
    const gone = systemdUnit({ name: "own", state: "absent" });
    expect(outcomes(await host.check(stop, gone))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(stop, gone))).toEqual(["changed", "changed"]);
    expect(await host.sh("systemctl show -p LoadState --value own")).toBe("not-found\n");
    expect(outcomes(await host.apply(gone))).toEqual(["ok"]);
  });

  test("refuses to define a masked unit, and defines it once it is unmasked", async () => {
    await host.sh("systemctl mask own");
    const [end] = await host.check(own(1));
    expect(end?.error?.failure.details).toEqual(["refused: unit-masked"]);
    expect(end?.error?.failure.hint).toBe("Run systemctl unmask own.service on the host if it was masked by mistake");
    await host.sh("systemctl unmask own.service");
    expect(outcomes(await host.apply(own(1)))).toEqual(["changed"]);
    expect(await host.sh("systemctl show -p LoadState --value own")).toBe("loaded\n");
  });

  test("refuses a drop-in for a masked unit, unless an earlier task unmasks it", async () => {
    await host.sh("systemctl mask cron");
    const drop = systemdUnit({ name: "cron", dropIn: "10-weight", sections: { Service: { CPUWeight: 60 } } });
    const [end] = await host.check(drop);
    expect(end?.error?.failure.details).toEqual(["refused: unit-masked"]);
    const unmask = service({ name: "cron", masked: false });
    expect(outcomes(await host.check(unmask, drop))).toEqual(["changed", "changed"]);
    expect(outcomes(await host.apply(unmask, drop))).toEqual(["changed", "changed"]);
  });
});
