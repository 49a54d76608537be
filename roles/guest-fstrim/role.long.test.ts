import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AnsweringServer } from "../../test/kube/server/answering-server.ts";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { guestFstrim, guestFstrimSchema } from "./role.ts";

const server = new AnsweringServer();
let guest: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => {
  await server.up();
  guest = await oneLabHost("fstrim-guest");
  // On the lab's hosts, fstrim.timer is masked.
  await guest.sh("systemctl unmask fstrim.timer");
});
afterAll(async () => {
  await guest?.down();
  server.down();
});

const self = { name: "here", address: "127.0.0.1", groups: ["guests"], index: 0 };
const less = (vars: object = {}) =>
  guestFstrim({ ...guestFstrimSchema.parse({ kubeconfig: server.kubeconfig, ...vars }), host: self, hosts: [self] });

function release(version: string): void {
  const list = (kind: string) => [{ status: 200, body: { kind: `${kind}List`, metadata: {}, items: [] } }];
  server.said = {
    "GET /apis/harvesterhci.io/v1beta1/settings/server-version": [
      { status: 200, body: { kind: "Setting", metadata: { name: "server-version" }, value: version } },
    ],
    "GET /apis/kubevirt.io/v1/virtualmachineinstances": list("VirtualMachineInstance"),
    "GET /apis/kubevirt.io/v1/virtualmachines": list("VirtualMachine"),
  };
}

const shown = (property: string): Promise<string> =>
  guest.sh(`systemctl show -p ${property} --value fstrim.timer | tr -d '\\n'`);
const packaged = (): Promise<string> =>
  guest.sh("cat /usr/lib/systemd/system/fstrim.timer || cat /lib/systemd/system/fstrim.timer");

describe("a guest with systemd", () => {
  test("in a cluster with v1.4.0 is not changed", async () => {
    release("v1.4.0");
    expect(outcomes(await guest.apply(less()))).toEqual(["ok", "skipped", "skipped", "skipped", "skipped"]);
    expect(await shown("DropInPaths")).toBe("");
  });

  test("in a cluster with v1.3.0 gets a trim time of its own, as check mode predicted; the package's file stays unchanged", async () => {
    release("v1.3.0");
    const own = await packaged();
    await guest.sh("systemctl start fstrim.timer");
    const vars = { randomizedDelaySeconds: 7200 };
    expect(outcomes(await guest.check(less(vars)))).toEqual(["ok", "ok", "ok", "ok", "changed"]);
    expect(outcomes(await guest.apply(less(vars)))).toEqual(["ok", "ok", "ok", "ok", "changed"]);
    expect(await shown("RandomizedDelayUSec")).toBe("2h");
    // Exactly one calendar event: without the empty line, systemd would add a second one.
    expect((await shown("TimersCalendar")).match(/OnCalendar=/g)).toHaveLength(1);
    expect(await packaged()).toBe(own);
    expect(outcomes(await guest.apply(less(vars)))).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  });

  test("does not trim by itself with timer: off", async () => {
    await guest.sh("systemctl enable --now fstrim.timer");
    expect(outcomes(await guest.apply(less({ timer: "off" }))).at(-1)).toBe("changed");
    expect(
      await guest.sh("systemctl is-enabled fstrim.timer; systemctl is-active fstrim.timer || :").catch(String),
    ).toMatch(/disabled\ninactive/);
    expect(outcomes(await guest.apply(less({ timer: "off" }))).at(-1)).toBe("ok");
  });
});
