import { describe, expect, test } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import { azureDriver } from "../../../src/cloud/azure/driver.ts";
import * as t from "../../../tasks/index.ts";
import type { AzureFake } from "../azure-fake/fake.ts";
import { eachWithAzureFake } from "../azure-fake/here.ts";
import { subscription, type Thing } from "../azure-fake/world.ts";
import { type RunHere, runHere } from "../run-here.ts";
import { destroy, provision } from "./books.ts";

let fake: AzureFake;
eachWithAzureFake((made) => {
  fake = made;
});

const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);
const said = ({ tasks }: RunHere): string => {
  const { what, current, expected, hint } = tasks.find(({ outcome }) => outcome === "failed")?.error?.failure ?? {};
  return [what, current, expected, hint].filter(Boolean).join(" | ");
};
const book = (...tasks: readonly object[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks as never }] });
const ground = [
  t.azureResourceGroup({ name: "lab", location: "westeurope" }),
  t.azureNetwork({ name: "lab", group: "lab" }),
];

/** Adds a resource that somebody else has created. `path` is the type with the name: `Microsoft.Compute/disks/data`. */
function put(path: string, group = "lab", more: Partial<Thing> = {}): Thing {
  const id = `/subscriptions/${subscription}/resourceGroups/${group}/providers/${path}`;
  const [service, ...parts] = path.split("/");
  const every = (odd: number): string => parts.filter((_, at) => at % 2 === odd).join("/");
  const properties = { provisioningState: "Succeeded" };
  const type = `${service}/${every(0)}`;
  const made: Thing = { id, name: every(1), type, location: "westeurope", tags: {}, properties, ...more };
  fake.world.things.set(id.toLowerCase(), made);
  return made;
}

const idOf = (path: string, group = "lab"): string =>
  `/subscriptions/${subscription}/resourceGroups/${group}/providers/${path}`;

describe("a resource group", () => {
  const removal = book(t.azureResourceGroup({ name: "lab", state: "absent" }));

  const remove = async (): Promise<unknown> => {
    const act = { act: "delete", kind: "group", name: "lab", group: "lab", owner: "furrow" };
    return azureDriver.call?.(act, new AbortController().signal, () => undefined);
  };

  test("is not deleted if somebody creates something in it after the plan is made", async () => {
    await runHere(book(ground[0] ?? {}));
    put("Microsoft.Compute/snapshots/payroll");
    fake.world.cached = [];
    await expect(remove()).rejects.toMatchObject({
      failure: { current: "1 resources: Microsoft.Compute/snapshots/payroll", expected: "an empty group" },
    });
    expect(fake.changes.filter((call) => call.startsWith("DELETE "))).toEqual([]);
    expect(fake.world.names()).toEqual({ resourceGroups: ["lab"], snapshots: ["payroll"] });
  });

  test("is not deleted if it contains something that the list of all resources does not show yet", async () => {
    await runHere(book(ground[0] ?? {}));
    put("Microsoft.Compute/disks/payroll");
    fake.world.cached = [];
    for (const mode of ["check", "apply"] as const) {
      expect(said(await runHere(removal, { mode }))).toMatch(/1 resources.*Microsoft.Compute\/disks\/payroll/);
    }
    expect(fake.world.names()).toEqual({ resourceGroups: ["lab"], disks: ["payroll"] });
  });

  test("is not deleted if it contains resources of unknown types, all of which are named", async () => {
    await runHere(book(ground[0] ?? {}));
    for (const name of ["a", "b", "c"]) put(`Microsoft.Web/sites/${name}`);
    put("Microsoft.Web/sites/c/slots/old");
    expect(said(await runHere(removal))).toMatch(
      /3 resources.*sites\/a, Microsoft.Web\/sites\/b, Microsoft.Web\/sites\/c/,
    );
  });

  test("is not deleted if Azure does not return its contents", async () => {
    await runHere(book(ground[0] ?? {}));
    for (const code of ["NotFound", "AuthorizationFailed"]) {
      const status = code === "NotFound" ? 404 : 403;
      fake.planned.push({ on: /^GET .*snapshots$/, status, code, message: "no answer", times: 1 });
      await expect(remove()).rejects.toMatchObject({ code: "E_DRIVER" });
    }
    expect(fake.world.names()).toEqual({ resourceGroups: ["lab"] });
  });

  test("is deleted even if the list of all resources still shows deleted resources", async () => {
    await runHere(book(...ground));
    fake.world.cached = fake.world.contents("lab");
    const network = t.azureNetwork({ name: "lab", group: "lab", state: "absent" });
    const gone = book(network, t.azureResourceGroup({ name: "lab", state: "absent" }));
    expect(outcomes(await runHere(gone))).toEqual(["changed", "changed"]);
    expect(fake.world.names()).toEqual({});
  });

  test("is deleted if it contains a machine's extension, which is deleted with the machine", async () => {
    await runHere(provision);
    put("Microsoft.Compute/virtualMachines/lab/extensions/MDE.Linux");
    expect(outcomes(await runHere(destroy, { mode: "check" }))).toEqual(["changed", "changed", "changed", "changed"]);
    expect(outcomes(await runHere(destroy))).toEqual(["changed", "changed", "changed", "changed"]);
    expect(fake.world.names()).toEqual({});
  });
});

/** A resource of the fake. */
function thing(type: string, name = "lab"): Thing {
  const found = [...fake.world.things.values()].find((one) => one.type.endsWith(`/${type}`) && one.name === name);
  if (found === undefined) throw new Error(`there is no ${name} of the type ${type}`);
  return found;
}

interface Subnet {
  readonly name: string;
  properties: Record<string, unknown>;
}
const subnets = (): Subnet[] => thing("virtualNetworks").properties["subnets"] as Subnet[];

describe("a lock", () => {
  const lockOn = (scope: string) => ({
    id: `${scope}/providers/Microsoft.Authorization/locks/keep`,
    properties: { level: "CanNotDelete" },
  });
  const removal = book(t.azureNetwork({ name: "lab", group: "lab", state: "absent" }));

  test.each([
    ["on the resource", idOf("Microsoft.Network/virtualNetworks/LAB")],
    ["on something in the resource", idOf("Microsoft.Network/virtualNetworks/lab/subnets/lab")],
    ["on the subscription", `/subscriptions/${subscription}`],
  ])("%s is found in check mode", async (_, scope) => {
    await runHere(book(...ground));
    fake.world.offers.locks = [lockOn(scope)];
    const before = fake.changes.length;
    for (const mode of ["check", "apply"] as const) {
      expect(said(await runHere(removal, { mode }))).toMatch(/refuse to delete lab.*CanNotDelete.*locks\/keep/);
    }
    expect(fake.changes.length).toBe(before);
  });

  test("on something else does not stop a run, nor does a lock that the login is not allowed to read", async () => {
    await runHere(book(...ground));
    fake.world.offers.locks = [lockOn(idOf("Microsoft.Network/virtualNetworks/lab2"))];
    expect(outcomes(await runHere(removal, { mode: "check" }))).toEqual(["changed"]);
    fake.world.offers.locks = undefined;
    const checked = await runHere(removal, { mode: "check" });
    expect(outcomes(checked)).toEqual(["changed"]);
    expect(JSON.stringify(checked.events)).toContain("is not allowed to read the locks");
  });
});

describe("settings that somebody else has made are kept", () => {
  const extras = {
    natGateway: { id: idOf("Microsoft.Network/natGateways/nat") },
    routeTable: { id: idOf("Microsoft.Network/routeTables/routes") },
    serviceEndpoints: [{ service: "Microsoft.Storage" }],
  };
  const own = { id: idOf("Microsoft.Network/networkSecurityGroups/lab") };

  test("in a subnet that gets its security group back", async () => {
    await runHere(book(...ground));
    Object.assign(subnets()[0]?.properties ?? {}, extras);
    delete subnets()[0]?.properties["networkSecurityGroup"];
    // On the first attempt, somebody else has changed the resource in the meantime.
    fake.planned.push({
      on: /^PUT .*subnets\/lab$/,
      status: 412,
      code: "PreconditionFailed",
      message: "another version",
      times: 1,
    });
    expect(outcomes(await runHere(book(...ground)))).toEqual(["ok", "changed"]);
    expect(subnets()).toEqual([
      { name: "lab", properties: { addressPrefix: "10.20.0.0/24", ...extras, networkSecurityGroup: own } },
    ]);
    expect(outcomes(await runHere(book(...ground)))).toEqual(["ok", "ok"]);
  });

  test("in a network whose change has failed", async () => {
    await runHere(book(...ground));
    const network = thing("virtualNetworks");
    const db = { name: "db", properties: { addressPrefix: "10.20.1.0/24", ...extras } };
    subnets().push(db);
    Object.assign(network.properties, { dhcpOptions: { dnsServers: ["192.0.2.53"] }, provisioningState: "Failed" });
    network.tags["costCenter"] = "42";
    expect(outcomes(await runHere(book(...ground)))).toEqual(["ok", "changed"]);
    expect(thing("virtualNetworks").tags).toEqual({ furrow: "furrow", costCenter: "42" });
    expect(thing("virtualNetworks").properties).toMatchObject({
      dhcpOptions: { dnsServers: ["192.0.2.53"] },
      provisioningState: "Succeeded",
      subnets: [{ name: "lab", properties: { networkSecurityGroup: own } }, db],
    });
  });

  test("in a disk whose change has failed", async () => {
    const data = t.azureDisk({ name: "data", group: "lab", sizeGb: 100 });
    await runHere(book(ground[0] ?? {}, data));
    const disk = thing("disks", "data");
    Object.assign(disk.properties, { networkAccessPolicy: "DenyAll", provisioningState: "Failed" });
    disk.tags["costCenter"] = "42";
    expect(outcomes(await runHere(book(data)))).toEqual(["changed"]);
    expect(thing("disks", "data")).toMatchObject({
      tags: { furrow: "furrow", costCenter: "42" },
      properties: { networkAccessPolicy: "DenyAll", provisioningState: "Succeeded", diskSizeGB: 100 },
    });
  });
});

describe("a resource of the same name counts as a different one only if its resource group differs", () => {
  test("a security group", async () => {
    await runHere(book(...ground));
    const open = put("Microsoft.Network/networkSecurityGroups/lab", "other");
    Object.assign(subnets()[0]?.properties ?? {}, { networkSecurityGroup: { id: open.id } });
    const checked = await runHere(book(...ground), { mode: "check" });
    expect(outcomes(checked)).toEqual(["ok", "changed"]);
    expect(JSON.stringify(checked.events)).toContain("other/lab");
    expect(outcomes(await runHere(book(...ground)))).toEqual(["ok", "changed"]);
    expect(subnets()[0]?.properties["networkSecurityGroup"]).toEqual({
      id: idOf("Microsoft.Network/networkSecurityGroups/lab"),
    });
  });

  test("a machine that a disk is attached to, whether or not the disk is shared", async () => {
    const data = { name: "data", group: "lab" };
    await runHere(book(ground[0] ?? {}, t.azureDisk({ ...data, sizeGb: 100 })));
    const id = idOf("Microsoft.Compute/virtualMachines/web", "other");
    const removal = book(t.azureDisk({ ...data, state: "absent" }));
    for (const holder of [{ managedBy: id }, { managedBy: undefined, managedByExtended: [id] }]) {
      Object.assign(thing("disks", "data"), holder);
      for (const mode of ["check", "apply"] as const) {
        expect(said(await runHere(removal, { mode }))).toMatch(/disk data is attached to the machine other\/web/);
      }
    }
    expect(fake.changes.filter((call) => call.startsWith("DELETE "))).toEqual([]);
  });

  test("a resource whose group is written in capital letters is the same resource", async () => {
    await runHere(book(...ground));
    const own = idOf("Microsoft.Network/networkSecurityGroups/LAB", "LAB");
    Object.assign(subnets()[0]?.properties ?? {}, { networkSecurityGroup: { id: own } });
    expect(outcomes(await runHere(book(...ground)))).toEqual(["ok", "ok"]);
  });
});

test("tags whose names differ only in case are the same tags", async () => {
  const data = { name: "data", group: "lab", sizeGb: 100 };
  await runHere(book(ground[0] ?? {}, t.azureDisk(data)));
  thing("disks", "data").tags = { Furrow: "furrow", "Made-By": "me" };
  const again = book(t.azureDisk({ ...data, tags: { "made-by": "furrow" } }));
  expect(outcomes(await runHere(again))).toEqual(["changed"]);
  expect(thing("disks", "data").tags).toEqual({ Furrow: "furrow", "Made-By": "furrow" });
  expect(outcomes(await runHere(again))).toEqual(["ok"]);
});
