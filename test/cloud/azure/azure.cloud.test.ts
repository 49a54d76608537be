import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import { covered } from "../../covered.ts";
import type { AzureFake } from "../azure-fake/fake.ts";
import { eachWithAzureFake, hostKey } from "../azure-fake/here.ts";
import { type RunHere, runHere } from "../run-here.ts";
import { destroy, provision } from "./books.ts";

let fake: AzureFake;
eachWithAzureFake((made) => {
  fake = made;
});

const ends = ({ tasks }: RunHere): (string | undefined)[][] =>
  tasks.map(({ title, outcome, error }) =>
    [title, outcome, error?.failure.what, error?.failure.current].filter(Boolean),
  );
const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);
const all = {
  resourceGroups: ["lab"],
  virtualNetworks: ["lab"],
  networkSecurityGroups: ["lab"],
  publicIPAddresses: ["lab-ip"],
  networkInterfaces: ["lab-nic"],
  disks: ["lab-data", "lab-os"],
  virtualMachines: ["lab"],
};
const titles = ["azureResourceGroup lab", "azureNetwork lab", "azureDisk lab-data", "azureVirtualMachine lab"];

describe("a machine", () => {
  test("is created, needs no change in a second run, and is removed", async () => {
    expect(ends(await runHere(provision))).toEqual(titles.map((title) => [title, "changed"]));
    expect(fake.world.names()).toEqual(all);
    const [vm] = fake.world.list("Microsoft.Compute/virtualMachines");
    expect(vm?.tags).toEqual({ furrow: "lab", "furrow-host-key": hostKey, "made-by": "furrow" });
    expect(vm?.properties["securityProfile"]).toEqual({ securityType: "Standard" });
    const [before, asked] = [fake.changes.length, fake.calls.length];
    expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "ok"]);
    expect(fake.changes.length).toBe(before);
    expect(fake.calls.length - asked).toBeLessThanOrEqual(16);
    expect(ends(await runHere(destroy))).toEqual([
      ["azureVirtualMachine lab", "changed"],
      ["azureDisk lab-data", "changed"],
      ["azureNetwork lab", "changed"],
      ["azureResourceGroup lab", "changed"],
    ]);
    expect(fake.world.names()).toEqual({});
    expect(outcomes(await runHere(destroy))).toEqual(["ok", "ok", "ok", "ok"]);
  });
});

const owner = "furrow";
/** A playbook with these tasks. */
const book = (...tasks: readonly object[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks as never }] });
const ground = [
  t.azureResourceGroup({ name: "lab", location: "westeurope" }),
  t.azureNetwork({ name: "lab", group: "lab" }),
];
const vm = (params: object = {}) =>
  t.azureVirtualMachine({
    name: "web",
    group: "lab",
    network: "lab",
    size: "Standard_D8s_v5",
    image: "Debian:debian-12:12-gen2:latest",
    publicKeys: ["ssh-ed25519 BBBB"],
    ...params,
  });
const data = (params: object = {}) => t.azureDisk({ name: "data", group: "lab", sizeGb: 100, ...params });

describe("changes", () => {
  test("a stopped machine is resized, tagged, given a disk and an address, and started", async () => {
    await runHere(book(...ground, vm({ state: "stopped", publicAddress: false })));
    expect([...fake.world.power.values()]).toEqual(["deallocated"]);
    const later = book(data(), vm({ size: "Standard_D16s_v5", tags: { a: "b" }, dataDisks: ["data"] }));
    expect(outcomes(await runHere(later))).toEqual(["changed", "changed"]);
    const [made] = fake.world.list("Microsoft.Compute/virtualMachines");
    expect(made?.properties["hardwareProfile"]).toEqual({ vmSize: "Standard_D16s_v5" });
    expect(made?.tags).toMatchObject({ a: "b", furrow: owner, "furrow-host-key": hostKey });
    expect([...fake.world.power.values()]).toEqual(["running"]);
    expect(fake.world.names()).toMatchObject({ publicIPAddresses: ["web-ip"] });
    expect(outcomes(await runHere(later))).toEqual(["ok", "ok"]);
    expect(outcomes(await runHere(book(data({ sizeGb: 200 }))))).toEqual(["changed"]);
    const inUse = await runHere(book(data({ state: "absent" })));
    expect(ends(inUse)[0]?.[2]).toMatch(/disk data is attached to the machine web/);
    // The disk that no task lists is kept.
    await runHere(book(vm({ state: "absent" })));
    expect(fake.world.names()["disks"]).toEqual(["data"]);
  });

  test("rules that somebody has added are drift, and are removed", async () => {
    await runHere(book(...ground));
    const [group] = fake.world.list("Microsoft.Network/networkSecurityGroups");
    const rule = {
      access: "Allow",
      direction: "Inbound",
      priority: 100,
      protocol: "Tcp",
      sourcePortRange: "*",
      sourceAddressPrefix: "*",
      destinationAddressPrefix: "*",
      destinationPortRange: "22",
    };
    const rules = (): unknown[] => group?.properties["securityRules"] as unknown[];
    rules().push({ name: "everyone", properties: rule });
    const checked = await runHere(book(...ground), { mode: "check" });
    expect(outcomes(checked)).toEqual(["ok", "changed"]);
    expect(JSON.stringify(checked.events)).toContain("tcp:22 0.0.0.0/0");
    expect(outcomes(await runHere(book(...ground)))).toEqual(["ok", "changed"]);
    expect(fake.world.list("Microsoft.Network/networkSecurityGroups")[0]?.properties["securityRules"]).toEqual([]);
  });

  test("a machine is deleted with its first disk, even if somebody has told Azure to keep the disk", async () => {
    await runHere(provision);
    const [made] = fake.world.list("Microsoft.Compute/virtualMachines");
    const stored = made?.properties["storageProfile"] as { osDisk: { deleteOption: string } } | undefined;
    if (stored) stored.osDisk.deleteOption = "Detach";
    expect(outcomes(await runHere(destroy))).toEqual(["changed", "changed", "changed", "changed"]);
    expect(fake.world.names()).toEqual({});
  });
});

describe("a provisioning run that is killed after any call", () => {
  test("leaves exactly one of each resource after the next run", async () => {
    let at = 0;
    for (let through = false; !through;) {
      at += 1;
      fake.wipe();
      const kill = new AbortController();
      fake.cut = (call) => {
        if (call !== at) return false;
        kill.abort(new Error("killed"));
        return true;
      };
      const first = await runHere(provision, { kill: kill.signal });
      through = fake.calls.length < at;
      expect(first.result.interrupted, `after call ${at}`).toBe(!through);
      fake.heal();
      const second = await runHere(provision);
      const failed = ends(second).filter((end) => end[1] === "failed");
      expect(failed, `after call ${at}`).toEqual([]);
      expect(fake.world.names(), `after call ${at}`).toEqual(all);
    }
    covered(`Azure: a provisioning run, killed after each of its ${at - 1} calls and then rerun`);
  }, 900_000);
});

test("a killed removal is finished by the next run, even if that run is to create the machine again", async () => {
  for (const next of [destroy, provision]) {
    fake.wipe();
    await runHere(provision);
    const kill = new AbortController();
    fake.cut = () => {
      const isDeleting = fake.calls.at(-1)?.startsWith("DELETE ") === true;
      if (isDeleting) kill.abort(new Error("killed"));
      return isDeleting;
    };
    expect((await runHere(destroy, { kill: kill.signal })).result.interrupted).toBe(true);
    fake.heal();
    expect((await runHere(next)).result.failed).toEqual([]);
    expect(fake.world.names()).toEqual(next === destroy ? {} : all);
  }
});

describe("check mode", () => {
  test.each([
    { title: "a provisioning run", run: provision, before: undefined },
    { title: "a provisioning run on converged resources", run: provision, before: provision },
    { title: "a removal", run: destroy, before: provision },
  ])("predicts $title without changing anything", async ({ run, before }) => {
    if (before) await runHere(before);
    const made = fake.changes.length;
    const checked = await runHere(run, { mode: "check" });
    expect(fake.changes.length).toBe(made);
    const applied = await runHere(run);
    expect(ends(checked)).toEqual(ends(applied));
    expect(applied.result.failed).toEqual([]);
  });
});

describe("what furrow did not create is left alone", () => {
  test("a machine, a disk, a network and a group with the same names", async () => {
    await runHere(provision);
    for (const one of [...fake.world.things.values(), ...fake.world.groups.values()]) delete one.tags["furrow"];
    const before = fake.changes.length;
    const gone = { group: "lab", owner: "lab", state: "absent" as const };
    for (const task of [
      t.azureVirtualMachine({ ...gone, name: "lab" }),
      t.azureDisk({ ...gone, name: "lab-data" }),
      t.azureNetwork({ ...gone, name: "lab" }),
      t.azureResourceGroup({ name: "lab", owner: "lab", state: "absent" }),
    ]) {
      expect(ends(await runHere(book(task)))[0]?.[2]).toMatch(/was not created for lab/);
    }
    expect(ends(await runHere(provision))[0]?.[2]).toMatch(/was not created for lab/);
    expect(fake.changes.length).toBe(before);
  });

  test("a group that contains something else is not deleted, and check mode says what it contains", async () => {
    await runHere(book(...ground, data()));
    const removal = book(
      t.azureNetwork({ name: "lab", group: "lab", state: "absent" }),
      t.azureResourceGroup({ name: "lab", state: "absent" }),
    );
    const checked = await runHere(removal, { mode: "check" });
    expect(ends(checked)[1]?.[2]).toMatch(/would be deleted with 1 resources.*Microsoft.Compute\/disks\/data/);
    // The run reports this before it deletes the network.
    const before = fake.changes.length;
    expect(ends(await runHere(removal))[0]?.[2]).toBe(ends(checked)[1]?.[2]);
    expect(fake.changes.length).toBe(before);
  });
});
