import { describe, expect, test, vi } from "vitest";
import type { SourceContext } from "../../src/core/inventory/inventory-source.ts";
import { gceInventory } from "../../src/cloud/gce/inventory.ts";
import { covered } from "../covered.ts";
import { provision } from "./gce-books.ts";
import { type GceFake, project, zone } from "./gce-fake/fake.ts";
import { fill } from "./gce-fake/fill.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { runHere } from "./run-here.ts";

let fake: GceFake;
eachWithGceFake((made) => {
  fake = made;
});

const context: SourceContext = {
  signal: new AbortController().signal,
  folder: "/",
  notice: () => undefined,
  now: new Date(),
  cache: { remembered: (_key, _age, produce) => produce() },
};

describe("gceInventory", () => {
  test("finds a provisioned machine, with the host keys that the provider reports", async () => {
    await runHere(provision);
    const { hosts, groups, leftOut } = await gceInventory({ groupBy: ["region", "label:role"], user: "admin" }).list(
      context,
    );
    expect(hosts).toMatchObject({
      lab: {
        address: expect.stringMatching(/^127\.20\./) as string,
        user: "admin",
        hostKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFake"],
        vars: { gce: { zone, labels: { role: "harvester" } } },
      },
    });
    expect(groups).toEqual({ "europe-west3": { hosts: ["lab"] }, harvester: { hosts: ["lab"] } });
    expect(leftOut).toEqual([]);
  });

  test("leaves out and reports stopped machines and machines without an address", async () => {
    fill(fake, 3);
    const { hosts, leftOut } = await gceInventory({ address: "external" }).list(context);
    expect(hosts).toEqual({});
    expect(leftOut).toEqual([
      { host: "m-0000", reason: "stopped" },
      { host: "m-0001", reason: "no address" },
      { host: "m-0002", reason: "no address" },
    ]);
  });

  test("reaches machines through IAP, if the inventory says so", async () => {
    await runHere(provision);
    const { hosts } = await gceInventory({ tunnel: "iap" }).list(context);
    expect(hosts["lab"]).toMatchObject({ tunnel: { iap: { instance: "lab", project, zone } } });
    const none = await gceInventory({ tunnel: ({ address }) => (address === "" ? "iap" : undefined) }).list(context);
    expect(none.hosts["lab"]).not.toHaveProperty("tunnel");
  });

  test("logs in under the name that OS Login gives the account, if its key is registered", async () => {
    await runHere(provision);
    const account = "ann@example.com";
    const posix = (username: string, more: object): object => ({ username, uid: "2001", gid: "2001", ...more });
    const posixAccounts = [
      posix("ann_win", { primary: true, operatingSystemType: "WINDOWS" }),
      posix("ann_old", { operatingSystemType: "LINUX" }),
      posix("ann_example_com", { primary: true, operatingSystemType: "LINUX" }),
    ];
    const inventory = gceInventory({ osLogin: account });
    await expect(inventory.list(context)).rejects.toMatchObject({
      code: "E_INVENTORY",
      failure: { what: `OS Login has no login name for ${account}`, hint: expect.stringContaining("ssh-keys add") },
    });
    fake.settings.logins = { [account]: { posixAccounts } };
    await expect(inventory.list(context)).rejects.toThrow(`OS Login has no SSH key for ${account}`);
    fake.settings.logins = { [account]: { posixAccounts, sshPublicKeys: { abc: { key: "ssh-ed25519 AAAA" } } } };
    expect((await inventory.list(context)).hosts).toMatchObject({ lab: { user: "ann_example_com" } });
    const own = gceInventory({ osLogin: account, user: ({ name }) => (name === "lab" ? "root" : undefined) });
    expect((await own.list(context)).hosts).toMatchObject({ lab: { user: "root" } });
    fake.settings.closed.add("oslogin");
    await expect(inventory.list(context)).rejects.toMatchObject({
      failure: { hint: expect.stringContaining("gcloud services enable oslogin.googleapis.com") },
    });
  });

  test("lists only the given zones, and applies a filter", async () => {
    fill(fake, 8);
    const found = await gceInventory({ zones: [zone, "us-central1-a"], filter: 'labels.role = "web"' }).list(context);
    expect(Object.keys(found.hosts)).toEqual(["m-0004", "m-0002", "m-0006"]);
    expect(fake.calls.length).toBe(2);
  });

  test("lists 5,000 machines in 4 zones page by page, and repeats throttled calls", async () => {
    fill(fake, 5000);
    fake.planned.push({ on: /aggregated/, status: 429, reason: "rateLimitExceeded", message: "Rate", times: 2 });
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const began = performance.now();
    const { hosts, groups, leftOut } = await gceInventory({ groupBy: ["zone"] }).list(context);
    const seconds = (performance.now() - began) / 1000;
    expect(Object.keys(hosts).length).toBe(4900);
    expect(leftOut.length).toBe(100);
    expect(Object.keys(groups ?? {}).length).toBe(4);
    expect(fake.calls.length).toBe(10 + 2);
    const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    covered(
      `gceInventory: 5000 machines in ${seconds.toFixed(1)} s, ${fake.calls.length} calls, ${grown.toFixed(0)} MB`,
    );
  });

  test("reports a missing project, and a refusal by the API", async () => {
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", "");
    await expect(gceInventory().list(context)).rejects.toMatchObject({ code: "E_INVENTORY" });
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", project);
    fake.planned.push({ on: /./, status: 403, reason: "forbidden", message: "Required permission", times: 1 });
    await expect(gceInventory({ projects: [project] }).list(context)).rejects.toMatchObject({
      failure: { hint: expect.stringMatching(/^Give the account/) as string },
    });
  });
});
