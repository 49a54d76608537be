import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import type { AzureFake } from "../azure-fake/fake.ts";
import { eachWithAzureFake } from "../azure-fake/here.ts";
import { subscription, type Thing } from "../azure-fake/world.ts";
import { type RunHere, runHere } from "../run-here.ts";
import { provision } from "./books.ts";

let fake: AzureFake;
eachWithAzureFake((made) => {
  fake = made;
});

const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);
const book = (...tasks: readonly object[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks as never }] });
const removal = book(t.azureVirtualMachine({ name: "lab", group: "lab", owner: "lab", state: "absent" }));

/** A resource that somebody else has created. */
function foreign(type: string, name: string, properties: object, rest: object = {}): Thing {
  const id = `/subscriptions/${subscription}/resourceGroups/lab/providers/${type}/${name}`;
  const own = { provisioningState: "Succeeded", ...properties };
  const thing: Thing = { id, name, type, location: "westeurope", tags: {}, properties: own, ...rest };
  fake.world.things.set(id.toLowerCase(), thing);
  return thing;
}

function thing(type: string, name = "lab"): Thing {
  const found = [...fake.world.things.values()].find((one) => one.type.endsWith(`/${type}`) && one.name === name);
  if (found === undefined) throw new Error(`no ${type} ${name}`);
  return found;
}

interface Profile {
  readonly storageProfile: { readonly dataDisks: object[] };
  readonly networkProfile: { readonly networkInterfaces: object[] };
}

const profileOf = (vm: Thing): Profile => vm.properties as unknown as Profile;

/** Attaches a disk to the machine that somebody else has created. */
function payroll(deleteOption: string): Thing {
  const vm = thing("virtualMachines");
  const rest = { managedBy: vm.id, sku: { name: "Premium_LRS" } };
  const disk = foreign("Microsoft.Compute/disks", "payroll", { diskSizeGB: 9 }, rest);
  const managedDisk = { id: disk.id };
  profileOf(vm).storageProfile.dataDisks.push({
    lun: 9,
    name: "payroll",
    createOption: "Attach",
    managedDisk,
    deleteOption,
  });
  return disk;
}

describe("a machine is deleted, but", () => {
  test("none of its data disks, other interfaces or foreign addresses is, even if Azure was told to delete them with it", async () => {
    await runHere(provision);
    const vm = thing("virtualMachines");
    for (const disk of profileOf(vm).storageProfile.dataDisks) Object.assign(disk, { deleteOption: "Delete" });
    payroll("Delete");
    const other = foreign("Microsoft.Network/networkInterfaces", "db-nic", { ipConfigurations: [] });
    profileOf(vm).networkProfile.networkInterfaces.push({
      id: other.id,
      properties: { primary: false, deleteOption: "Delete" },
    });
    const address = foreign("Microsoft.Network/publicIPAddresses", "www-ip", { ipAddress: "192.0.2.9" });
    const [first] = thing("networkInterfaces", "lab-nic").properties["ipConfigurations"] as { properties: object }[];
    const publicIPAddress = { id: address.id, properties: { deleteOption: "Delete" } };
    Object.assign(first?.properties ?? {}, { publicIPAddress });
    const run = await runHere(removal);
    expect(outcomes(run)).toEqual(["changed"]);
    expect(JSON.stringify(run.events)).toContain("keep db-nic, lab-data, payroll");
    expect(fake.world.names()).toMatchObject({ disks: ["lab-data", "payroll"], networkInterfaces: ["db-nic"] });
    expect(fake.world.names()["publicIPAddresses"]).toEqual(["www-ip"]);
  });

  test("not if Azure ignores the request to keep its data disks", async () => {
    await runHere(provision);
    payroll("Delete");
    fake.ignored = (call) => call.startsWith("PATCH ");
    expect((await runHere(removal)).tasks[0]?.error?.failure).toMatchObject({
      what: expect.stringContaining("cannot delete the machine lab") as string,
      current: "the data disk payroll would be deleted",
    });
    expect(fake.changes.filter((call) => call.startsWith("DELETE "))).toEqual([]);
  });
});

test("a data disk that Azure would delete with the machine counts as drift, and is kept", async () => {
  await runHere(provision);
  const [disk] = profileOf(thing("virtualMachines")).storageProfile.dataDisks;
  Object.assign(disk ?? {}, { deleteOption: "Delete" });
  expect(outcomes(await runHere(provision, { mode: "check" }))).toEqual(["ok", "ok", "ok", "changed"]);
  expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
  expect(profileOf(thing("virtualMachines")).storageProfile.dataDisks).toMatchObject([{ deleteOption: "Detach" }]);
});

test("a failed start is retried, and removes nothing from the machine", async () => {
  await runHere(provision);
  const vm = thing("virtualMachines");
  Object.assign(vm.tags, { costCenter: "42", "furrow-host-key": "ssh-ed25519 ORIGINAL" });
  const disk = payroll("Detach");
  fake.world.power.set(vm.id.toLowerCase(), "deallocated");
  fake.failing.push({ on: /^POST .*start$/, code: "AllocationFailed", message: "no capacity", times: 1 });
  expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "failed"]);
  expect(thing("virtualMachines").properties["provisioningState"]).toBe("Failed");
  const before = fake.changes.length;
  expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
  expect(fake.changes.slice(before).map((call) => call.split("/").at(-1))).toEqual(["start"]);
  expect(thing("virtualMachines").tags).toMatchObject({ costCenter: "42", "furrow-host-key": "ssh-ed25519 ORIGINAL" });
  expect(disk.managedBy).toBe(vm.id);
});

test("a failed creation is retried with everything that Azure has stored", async () => {
  fake.failing.push({ on: /^PUT .*virtualMachines\/lab$/, code: "AllocationFailed", message: "x", times: 1 });
  expect(outcomes(await runHere(provision))).toEqual(["changed", "changed", "changed", "failed"]);
  Object.assign(thing("virtualMachines").tags, { costCenter: "42" });
  const disk = payroll("Detach");
  expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
  expect(thing("virtualMachines").tags).toMatchObject({ costCenter: "42" });
  expect(disk.managedBy).toBe(thing("virtualMachines").id);
});

test("an address that Azure failed to create is repaired, both before and after the machine is created", async () => {
  fake.failing.push({ on: /^PUT .*publicIPAddresses/, code: "InternalServerError", message: "x", times: 1 });
  expect(outcomes(await runHere(provision))).toEqual(["changed", "changed", "changed", "failed"]);
  expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
  const made = (type: string, name: string) => thing(type, name).properties["provisioningState"];
  expect(made("publicIPAddresses", "lab-ip")).toBe("Succeeded");
  for (const [type, name] of [
    ["publicIPAddresses", "lab-ip"],
    ["networkInterfaces", "lab-nic"],
  ] as const) {
    thing(type, name).properties["provisioningState"] = "Failed";
    expect(outcomes(await runHere(provision, { mode: "check" }))).toEqual(["ok", "ok", "ok", "changed"]);
    expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
    expect(made(type, name)).toBe("Succeeded");
  }
});

test("an interface that gets a public address keeps all other settings", async () => {
  await runHere(provision);
  const card = thing("networkInterfaces", "lab-nic");
  const [first] = card.properties["ipConfigurations"] as { properties: Record<string, unknown> }[];
  const { publicIPAddress: _address, ...settings } = first?.properties ?? {};
  Object.assign(first ?? {}, { properties: settings });
  const second = { name: "second", properties: { ...settings, primary: false, privateIPAddress: "10.20.0.99" } };
  (card.properties["ipConfigurations"] as object[]).push(second);
  const group = { id: thing("networkSecurityGroups").id };
  Object.assign(card.properties, { networkSecurityGroup: group, dnsSettings: { dnsServers: ["192.0.2.53"] } });
  Object.assign(card.tags, { costCenter: "42" });
  expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
  const now = thing("networkInterfaces", "lab-nic");
  expect(now.properties).toMatchObject({
    ipConfigurations: [
      { properties: { publicIPAddress: { id: thing("publicIPAddresses", "lab-ip").id } } },
      { name: "second" },
    ],
    networkSecurityGroup: group,
    dnsSettings: { dnsServers: ["192.0.2.53"] },
  });
  expect(now.tags).toMatchObject({ costCenter: "42" });
});

test("a machine that was shut down from inside is started, even if the quota is exhausted", async () => {
  await runHere(provision);
  const key = thing("virtualMachines").id.toLowerCase();
  fake.world.power.set(key, "stopped");
  fake.world.offers.limits["cores"] = 16;
  expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
  expect(fake.world.power.get(key)).toBe("running");
});

test("a creation that fails while furrow waits for it ends the wait", async () => {
  await runHere(provision);
  const vm = thing("virtualMachines");
  const [key, { storageProfile }] = [vm.id.toLowerCase(), vm.properties as { storageProfile: { osDisk: object } }];
  fake.world.power.delete(key);
  Object.assign(storageProfile.osDisk, { managedDisk: { storageAccountType: "Premium_LRS" } });
  vm.properties["provisioningState"] = "Creating";
  let reads = 0;
  fake.cut = () => {
    if (/^GET .*virtualMachines\/lab$/.test(fake.calls.at(-1) ?? "")) reads += 1;
    if (reads === 3) vm.properties["provisioningState"] = "Failed";
    return false;
  };
  const [task] = (await runHere(provision)).tasks.filter(({ outcome }) => outcome === "failed");
  expect(task?.error?.failure).toMatchObject({ current: "its provisioning state is Failed" });
}, 60_000);

test("a creation is refused early if the name of the first disk is taken, and the existing disk is left alone", async () => {
  await runHere(provision);
  await runHere(removal);
  const disk = foreign("Microsoft.Compute/disks", "lab-os", { diskSizeGB: 64 }, { sku: { name: "Premium_LRS" } });
  for (const mode of ["check", "apply"] as const) {
    const [, , , task] = (await runHere(provision, { mode })).tasks;
    expect(task?.error?.failure.what).toMatch(/the disk lab-os already exists/);
  }
  expect(fake.world.names()["networkInterfaces"]).toBeUndefined();
  expect(outcomes(await runHere(removal))).toEqual(["ok"]);
  expect(fake.world.names()["disks"]).toEqual(["lab-data", "lab-os"]);
  // The tag shows that an unfinished deletion of the machine has left this disk behind.
  disk.tags["furrow"] = "lab";
  expect(outcomes(await runHere(removal))).toEqual(["changed"]);
  expect(fake.world.names()["disks"]).toEqual(["lab-data"]);
});

describe("check mode refuses, as Azure would,", () => {
  const size = { name: "Standard_D16_v5", family: "standardDv5Family", vcpus: 16, premium: false };
  const machine = (params: object): Playbook =>
    book(
      t.azureVirtualMachine({
        name: "lab",
        group: "lab",
        network: "lab",
        image: "Debian:debian-12:12-gen2:latest",
        publicKeys: ["ssh-ed25519 AAAA me@here"],
        owner: "lab",
        size: "Standard_D16s_v5",
        ...params,
      }),
    );
  const refused = async (run: Playbook): Promise<unknown> => {
    const before = fake.changes.length;
    const whats = [];
    for (const mode of ["check", "apply"] as const) {
      whats.push((await runHere(run, { mode })).tasks.at(-1)?.error?.failure.what);
    }
    expect(fake.changes.length).toBe(before);
    expect(whats[0]).toBe(whats[1]);
    return whats[0];
  };

  test("a resize to another processor architecture, or to a size that does not support premium disks", async () => {
    await runHere(provision);
    await runHere(machine({ state: "stopped" }));
    const resized = (to: string): Playbook => machine({ size: to, state: "stopped" });
    expect(await refused(resized("Standard_D16ps_v5"))).toMatch(/system is for x64/);
    fake.world.offers.sizes.push(size);
    expect(await refused(resized(size.name))).toMatch(/are or might be premium: lab-os, lab-data/);
  });

  test("one more disk than the size supports", async () => {
    await runHere(provision);
    await runHere(book(t.azureDisk({ name: "more", group: "lab", sizeGb: 9, owner: "lab" })));
    Object.assign(fake.world.offers.sizes.find(({ name }) => name === "Standard_D16s_v5") ?? {}, { disks: 1 });
    expect(await refused(machine({ dataDisks: ["lab-data", "more"] }))).toMatch(/supports 1 data disks, not 2/);
  });

  test("a machine whose first interface is not furrow's own", async () => {
    await runHere(provision);
    const vm = thing("virtualMachines");
    const { id } = foreign(
      "Microsoft.Network/networkInterfaces",
      "web123",
      thing("networkInterfaces", "lab-nic").properties,
    );
    Object.assign(profileOf(vm).networkProfile.networkInterfaces[0] ?? {}, { id });
    expect(await refused(machine({}))).toMatch(/the first interface of the machine lab is web123/);
  });
});
