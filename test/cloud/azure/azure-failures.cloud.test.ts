import { describe, expect, test, vi } from "vitest";
import { type Playbook, playbook } from "../../../src/authoring.ts";
import * as t from "../../../tasks/index.ts";
import type { AzureFake } from "../azure-fake/fake.ts";
import { consoleText, eachWithAzureFake, hostKey } from "../azure-fake/here.ts";
import type { FakeSize } from "../azure-fake/offers.ts";
import { type RunHere, runHere } from "../run-here.ts";
import { provision } from "./books.ts";

let fake: AzureFake;
eachWithAzureFake((made) => {
  fake = made;
});

const outcomes = ({ tasks }: RunHere): unknown[] => tasks.map(({ outcome }) => outcome);
const changed = ["changed", "changed", "changed", "changed"];
const said = ({ tasks }: RunHere): string => {
  const { what, current, expected, hint } = tasks.find(({ outcome }) => outcome === "failed")?.error?.failure ?? {};
  return [what, current, expected, hint].filter(Boolean).join(" | ");
};
const book = (...tasks: readonly object[]): Playbook =>
  playbook({ name: "one", plays: [{ hosts: "all", tasks: () => tasks as never }] });

describe("the API's failures", () => {
  test("waits out throttling for as long as Azure asks, and retries queries after server errors", async () => {
    const many = { code: "TooManyRequests", message: "slow down" };
    fake.planned.push({ on: /^PUT .*virtualNetworks/, status: 429, ...many, retryAfter: 1, times: 1 });
    fake.planned.push({ on: /^GET/, status: 503, code: "ServerBusy", message: "", times: 2 });
    const started = performance.now();
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect(performance.now() - started).toBeGreaterThan(1000);
    expect(fake.calls.filter((call) => /^PUT .*virtualNetworks/.test(call))).toHaveLength(2);
  });

  test("reading a list whose page links to itself ends with an error instead of running forever", async () => {
    await runHere(provision);
    fake.world.loops = true;
    const gone = book(t.azureResourceGroup({ name: "lab", owner: "lab", state: "absent" }));
    expect(said(await runHere(gone))).toContain("its API links to a page of the list that it has already returned");
  });

  test.each([
    ["no list", {}, "the response contains no list"],
    ["a list that is null", { value: null }, "the response contains no list"],
    [
      "a link that is not a string",
      { value: [], nextLink: { href: "/next" } },
      "the link to the list's next page is not a string",
    ],
    ["an entry that is not an object", { value: [null] }, "entry 1 of the list is not an object"],
  ])("a resource group does not count as empty if Azure's response has %s", async (_what, page, says) => {
    await runHere(provision);
    fake.world.page = page;
    const gone = book(t.azureResourceGroup({ name: "lab", owner: "lab", state: "absent" }));
    expect(said(await runHere(gone))).toContain(says);
    fake.world.page = undefined;
    expect(fake.world.groups.has("lab")).toBe(true);
  });

  test("a long pause is reported", async () => {
    const many = { code: "TooManyRequests", message: "slow down" };
    fake.planned.push({ on: /^PUT .*disks/, status: 429, ...many, retryAfter: 10, times: 1 });
    const run = await runHere(provision);
    expect(outcomes(run)).toEqual(changed);
    expect(JSON.stringify(run.events)).toContain("waiting 10 s, as Azure asks, to create the disk lab-data: slow down");
  });

  test("furrow waits for another operation on the same resource", async () => {
    const code = "AnotherOperationInProgress";
    fake.planned.push({ on: /^PUT .*disks/, status: 409, code, message: "busy", times: 2 });
    const run = await runHere(provision);
    expect(outcomes(run)).toEqual(changed);
    expect(JSON.stringify(run.events)).toContain("waiting for Azure to finish another operation");
  });

  test("the errors for a lasting conflict and a missing role say what to do", async () => {
    const disk = { on: /^PUT .*disks/, times: 1 };
    fake.planned.push({ ...disk, status: 409, code: "ScopeLocked", message: "the group is locked" });
    expect(said(await runHere(provision))).toMatch(
      /cannot create the disk lab-data in Azure \| ScopeLocked.*Ask the sub/,
    );
    const message =
      "The client does not have authorization to perform action 'Microsoft.Compute/disks/write' over scope";
    fake.planned.push({ ...disk, status: 403, code: "AuthorizationFailed", message });
    expect(said(await runHere(provision))).toMatch(/disks\/write.*Give the account the role Contributor/);
    expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "changed", "changed"]);
  });

  test("the error of a failed operation says why it failed, and the next run retries the operation", async () => {
    const message = "Allocation failed. We do not have sufficient capacity for the requested VM size in this region.";
    fake.failing.push({ on: /^PUT .*virtualMachines\/lab$/, code: "AllocationFailed", message, times: 1 });
    expect(said(await runHere(provision))).toMatch(/AllocationFailed: Allocation failed.*no capacity for this size/);
    expect(fake.world.names()["virtualMachines"]).toEqual(["lab"]);
    expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
    expect([...fake.world.power.values()]).toEqual(["running"]);
  });

  test("a request whose answer was lost is sent again, and creates nothing twice", async () => {
    const left = new Set(["virtualNetworks", "disks", "virtualMachines"]);
    fake.lost = (call) => {
      const type = /^PUT .*\/(\w+)\/[^/]+$/.exec(call)?.[1] ?? "";
      return left.delete(type);
    };
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect(fake.world.names()).toMatchObject({ virtualMachines: ["lab"], disks: ["lab-data", "lab-os"] });
  });

  test("a console that does not show the host keys yet is read again", async () => {
    fake.settings.console = (_name, count) => (count < 3 ? "boot" : consoleText);
    expect(outcomes(await runHere(provision))).toEqual(changed);
    expect([...fake.world.consoles.values()]).toEqual([3]);
    const [vm] = fake.world.list("Microsoft.Compute/virtualMachines");
    expect(vm?.tags["furrow-host-key"]).toBe(hostKey);
  });

  test("the console of a machine is not read if its host keys are not requested", async () => {
    fake.settings.console = () => "no keys here";
    const keyless = book(
      t.azureResourceGroup({ name: "lab", location: "westeurope" }),
      t.azureNetwork({ name: "lab", group: "lab" }),
      t.azureVirtualMachine({
        name: "web",
        group: "lab",
        network: "lab",
        size: "Standard_D8s_v5",
        image: "Debian:debian-12:12-gen2:latest",
        publicKeys: ["ssh-ed25519 BBBB"],
        hostKeys: false,
      }),
    );
    expect(outcomes(await runHere(keyless))).toEqual(["changed", "changed", "changed"]);
    expect(fake.calls.some((call) => call.endsWith("retrieveBootDiagnosticsData"))).toBe(false);
  });

  test("the errors for a missing subscription and a missing login say what to do", async () => {
    const group = book(t.azureResourceGroup({ name: "lab", location: "westeurope" }));
    vi.stubEnv("AZURE_SUBSCRIPTION_ID", "");
    expect(said(await runHere(group))).toMatch(/does not know which Azure subscription.*Set AZURE_SUBSCRIPTION_ID/);
    vi.stubEnv("AZURE_SUBSCRIPTION_ID", "00000000-0000-4000-8000-000000000001");
    vi.stubEnv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential");
    expect(said(await runHere(group))).toMatch(/Log in with az login/);
  });
});

describe("an obstacle is found in check mode, before anything changes", () => {
  const checked = async (): Promise<string> => {
    const before = fake.changes.length;
    const run = await runHere(provision, { mode: "check" });
    expect(fake.changes.length).toBe(before);
    return said(run);
  };
  const size = (): FakeSize => {
    const found = fake.world.offers.sizes.find(({ name }) => name === "Standard_D16s_v5");
    if (found === undefined) throw new Error("no size");
    return found;
  };

  test.each<readonly [string, () => unknown, RegExp]>([
    ["a location", () => (fake.world.offers.locations = []), /no location westeurope/],
    ["a restricted size", () => (size().restrictions = [{ type: "Location" }]), /NotAvailableForSubscription/],
    ["a missing size", () => fake.world.offers.sizes.splice(0), /has no size Standard_D16s_v5/],
    [
      "an exhausted quota",
      () => (fake.world.offers.limits["cores"] = 15),
      /quota cores.* \| 0 of 15 are in use \| 16 free processors/,
    ],
    [
      "an exhausted quota for the machine family",
      () => (fake.world.offers.limits["standardDSv5Family"] = 0),
      /quota standardDSv5Family of westeurope does not allow the 16 processors/,
    ],
    [
      "the security type",
      () => (fake.world.offers.features["UseStandardSecurityType"] = "Registering"),
      /UseStandardSecurityType is Registering.*az feature register/,
    ],
    [
      "a service",
      () => (fake.world.offers.services["Microsoft.Network"] = "NotRegistered"),
      /not registered for Microsoft.Network.*az provider register --namespace Microsoft.Network/,
    ],
    [
      "a permission",
      () => (fake.world.offers.permissions = [{ actions: ["*/read"], notActions: [] }]),
      /the login does not have the Azure permissions .* \| missing: Microsoft.Resources\/subscriptions\/resourceGroups\/write/,
    ],
    [
      "a permission excluded by notActions",
      () => (fake.world.offers.permissions = [{ actions: ["*"], notActions: ["Microsoft.Compute/virtualMachines/*"] }]),
      /missing: Microsoft.Compute\/virtualMachines\/write/,
    ],
  ])("%s", async (_title, takeAway, message) => {
    takeAway();
    expect(await checked()).toMatch(message);
    // The run reports the same obstacle, and changes nothing.
    const run = await runHere(provision);
    expect(said(run)).toMatch(message);
    expect(fake.world.names()).toEqual({});
  });

  test("the quota counts all machines in the plan", async () => {
    fake.world.offers.limits["cores"] = 20;
    const vm = (name: string): object =>
      t.azureVirtualMachine({
        name,
        group: "lab",
        network: "lab",
        size: "Standard_D16s_v5",
        image: "Debian:debian-12:12-gen2:latest",
        publicKeys: ["ssh-ed25519 BBBB"],
      });
    const two = book(
      t.azureResourceGroup({ name: "lab", location: "westeurope" }),
      t.azureNetwork({ name: "lab", group: "lab" }),
      vm("one"),
      vm("two"),
    );
    expect(said(await runHere(two, { mode: "check" }))).toMatch(/machine two \| 0 of 20 .* earlier tasks need 16/);
    expect((await runHere(two)).result.failed).not.toEqual([]);
    expect(fake.world.names()).toEqual({});
  });

  test("the quota counts a machine that the run starts, but no deallocated machine", async () => {
    await runHere(provision);
    const id = fake.world.list("Microsoft.Compute/virtualMachines")[0]?.id.toLowerCase() ?? "";
    fake.world.power.set(id, "deallocated");
    fake.world.offers.limits["cores"] = 15;
    const message = /quota cores of westeurope does not allow the 16 processors of the machine lab/;
    expect(said(await runHere(provision, { mode: "check" }))).toMatch(message);
    fake.world.offers.limits["cores"] = 16;
    expect(outcomes(await runHere(provision))).toEqual(["ok", "ok", "ok", "changed"]);
    expect(fake.world.power.get(id)).toBe("running");
  });

  test("permissions that cannot be read are reported in a note, and do not stop the run", async () => {
    fake.world.offers.permissions = undefined;
    const run = await runHere(provision, { mode: "check" });
    expect(outcomes(run)).toEqual(changed);
    expect(JSON.stringify(run.events)).toContain("is not allowed to read its own permissions");
  });
});
