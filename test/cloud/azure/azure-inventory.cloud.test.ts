import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { azureInventory } from "../../../src/cloud/azure/inventory.ts";
import type { SourceContext } from "../../../src/core/inventory/inventory-source.ts";
import { AzureFake, subscription } from "../azure-fake/fake.ts";
import type { FakeMachine } from "../azure-fake/views.ts";
import { furrow } from "../furrow.ts";
import { blockOf } from "../pages/page-blocks.ts";

const fake = new AzureFake();
let env: Record<string, string>;
const trusted = getCACertificates();
const folder = mkdtempSync(join(import.meta.dirname, "azure-"));

beforeAll(async () => {
  env = await fake.start();
  setDefaultCACertificates([...trusted, fake.authority]);
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  rmSync(folder, { recursive: true });
  await fake.stop();
});
beforeEach(() => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  fake.machines.length = 0;
  fake.planned.length = 0;
  fake.calls.length = 0;
});
afterEach(() => void vi.unstubAllEnvs());

const context: SourceContext = {
  signal: new AbortController().signal,
  folder: "/",
  notice: () => undefined,
  now: new Date(),
  cache: { remembered: (_key, _age, produce) => produce() },
};

const machine = (name: string, more: Partial<FakeMachine> = {}): number =>
  fake.machines.push({
    name,
    group: "lab",
    size: "Standard_D16s_v5",
    state: "running",
    address: "192.0.2.5",
    privateAddress: "10.0.0.5",
    tags: { role: "web" },
    luns: [1, 0],
    ...more,
  });

describe("azureInventory", () => {
  test("finds a machine, with its login, its addresses and its disks", async () => {
    machine("web-1");
    const { hosts, groups, leftOut } = await azureInventory({ groupBy: ["location", "size", "tag:role"] }).list(
      context,
    );
    expect(hosts).toEqual({
      "web-1": {
        address: "192.0.2.5",
        user: "azureuser",
        vars: {
          azure: {
            id: "id-of-web-1",
            name: "web-1",
            subscription,
            resourceGroup: "LAB",
            location: "westeurope",
            size: "Standard_D16s_v5",
            status: "running",
            address: "192.0.2.5",
            privateAddress: "10.0.0.5",
            login: "azureuser",
            tags: { role: "web" },
            disks: ["/dev/disk/azure/scsi1/lun0", "/dev/disk/azure/scsi1/lun1"],
            hostKeys: [],
          },
        },
      },
    });
    expect(groups).toEqual({
      westeurope: { hosts: ["web-1"] },
      Standard_D16s_v5: { hosts: ["web-1"] },
      web: { hosts: ["web-1"] },
    });
    expect(leftOut).toEqual([]);
  });

  test("passes on the host key that azureVirtualMachine has stored in a tag", async () => {
    machine("web-1", { tags: { "furrow-host-key": "ssh-ed25519 AAAA" } });
    expect((await azureInventory().list(context)).hosts["web-1"]).toMatchObject({ hostKeys: ["ssh-ed25519 AAAA"] });
  });

  test("chooses resource groups and tags, and reads all pages", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) machine(name);
    machine("other", { group: "other" });
    machine("db", { tags: { role: "db" } });
    const names = async (options: object): Promise<string[]> =>
      Object.keys((await azureInventory(options).list(context)).hosts);
    expect(await names({ resourceGroups: ["lab"], tags: { role: "web" } })).toEqual(["a", "b", "c", "d", "e"]);
    expect(await names({ resourceGroups: ["lab", "other"], tags: { role: "*" } })).toHaveLength(7);
    expect(await names({ tags: { owner: "*" } })).toEqual([]);
  });

  test("reaches a machine without a public address at its private address, and reports machines that are not running", async () => {
    machine("inside", { address: "" });
    machine("off", { state: "deallocated" });
    const { hosts, leftOut } = await azureInventory().list(context);
    expect(hosts).toMatchObject({ inside: { address: "10.0.0.5" } });
    expect(leftOut).toEqual([{ host: "off", reason: "deallocated" }]);
    const publicly = await azureInventory({ address: "public" }).list(context);
    expect(publicly.leftOut).toContainEqual({ host: "inside", reason: "no address" });
  });

  test("a machine that is deleted in the meantime has no state, and is left out", async () => {
    machine("web-1");
    fake.planned.push({ on: /instanceView$/, status: 404, code: "ResourceNotFound", message: "gone", times: 1 });
    expect((await azureInventory().list(context)).leftOut).toEqual([{ host: "web-1", reason: "unknown" }]);
  });
});

describe("an error says what to do", () => {
  const failure = async (options = {}): Promise<string> => {
    const error = await azureInventory(options)
      .list(context)
      .then(() => undefined)
      .catch((thrown: unknown) => thrown as { failure: { what: string; current?: string; hint: string } });
    const { what, current, hint } = error?.failure ?? {};
    return [what, current, hint].filter(Boolean).join(" | ");
  };

  test.each([
    [
      "a wrong resource group",
      { resourceGroups: ["none"] },
      /ResourceGroupNotFound: .*'none'.* \| Correct the resource/,
    ],
    [
      "a wrong subscription",
      { subscriptions: ["none"] },
      /SubscriptionNotFound: .*'none'.* \| Correct the subscription/,
    ],
  ])("%s", async (_what, options, message) => {
    machine("web-1");
    expect(await failure(options)).toMatch(message);
  });

  test("a list whose page links to itself", async () => {
    machine("web-1");
    fake.world.loops = true;
    expect(await failure()).toMatch(/its API links to a page of the list that it has already returned .* \| Rerun/);
    fake.world.loops = false;
  });

  test("a missing role", async () => {
    const message = "The client does not have authorization to perform action 'Microsoft.Compute/virtualMachines/read'";
    fake.planned.push({ on: /virtualMachines$/, status: 403, code: "AuthorizationFailed", message, times: 1 });
    expect(await failure()).toMatch(
      /AuthorizationFailed: .*virtualMachines\/read.* \| Give the account the role Reader/,
    );
  });

  test("a missing login", async () => {
    vi.stubEnv("AZURE_TOKEN_CREDENTIALS", "EnvironmentCredential");
    expect(await failure()).toMatch(/cannot list the machines .* \| Log in with az login/);
  });

  test("a missing subscription, and an API address without encryption", async () => {
    vi.stubEnv("AZURE_RESOURCE_MANAGER_URL", "http://127.0.0.1:1");
    expect(await failure()).toMatch(/AZURE_RESOURCE_MANAGER_URL is not an https URL/);
    vi.stubEnv("AZURE_SUBSCRIPTION_ID", "");
    expect(await failure()).toMatch(/does not know which subscriptions to query \| Give it subscriptions/);
  });
});

test("the guide's inventory lists the guide's machine", async () => {
  machine("harvester", { group: "harvester", luns: [0] });
  const file = join(folder, "azure-vms.ts");
  writeFileSync(file, blockOf("clouds", "azure-vms.ts").text);
  vi.stubEnv("NODE_EXTRA_CA_CERTS", fake.authorityFile);
  const { code, stdout, stderr } = await furrow("inventory", "-i", file, "--json");
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toContain("/dev/disk/azure/scsi1/lun0");
  expect(stdout).toContain("192.0.2.5");
}, 120_000);
