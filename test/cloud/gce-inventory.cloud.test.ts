import { describe, expect, test, vi } from "vitest";
import type { SourceContext } from "../../src/core/inventory/inventory-source.ts";
import { gceInventory } from "../../src/cloud/gce/inventory.ts";
import { covered } from "../covered.ts";
import { provision } from "./gce-books.ts";
import { type GceFake, project, zone } from "./gce-fake/fake.ts";
import { fill } from "./gce-fake/fill.ts";
import { eachWithGceFake } from "./gce-fake/here.ts";
import { runHere } from "./run-here.ts";

const account = "ann@example.com";

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
    fake.settings.projectMetadata = { "enable-oslogin": "TRUE" };
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

  describe("for machines that use OS Login", () => {
    const posixAccounts = [{ primary: true, username: "ann_example_com", operatingSystemType: "LINUX" }];
    const sshPublicKeys = { abc: { key: "ssh-ed25519 AAAA" } };
    const machine = (name: string, metadata: Readonly<Record<string, string>>): void => {
      const place = `projects/${project}/zones/${zone}`;
      fake.state.put(`${place}/instances/${name}`, {
        name,
        zone: place,
        status: "RUNNING",
        machineType: `${place}/machineTypes/n2-standard-16`,
        metadata: { items: Object.entries(metadata).map(([key, value]) => ({ key, value })) },
        networkInterfaces: [{ networkIP: "127.30.0.1", accessConfigs: [] }],
      });
    };
    const users = async (options: Parameters<typeof gceInventory>[0] = {}): Promise<Record<string, unknown>> => {
      const { hosts } = await gceInventory(options).list(context);
      return Object.fromEntries(Object.entries(hosts).map(([name, { user }]) => [name, user]));
    };

    test("a machine's metadata overrides its project's, in both directions", async () => {
      machine("own", { "enable-oslogin": "TRUE" });
      machine("keys", { "enable-oslogin": "false" });
      machine("plain", { "enable-oslogin": "yes" });
      fake.settings.logins = { [account]: { posixAccounts, sshPublicKeys } };
      fake.settings.self = account;
      expect(await users()).toEqual({ own: "ann_example_com", keys: undefined, plain: undefined });
      fake.settings.projectMetadata = { "enable-oslogin": "true" };
      expect(await users()).toEqual({ own: "ann_example_com", keys: undefined, plain: "ann_example_com" });
      expect(fake.changes).toEqual([]);
    });

    test("a machine's label sets the login name only without OS Login", async () => {
      machine("own", { "enable-oslogin": "TRUE" });
      machine("keys", {});
      fake.settings.logins = { [account]: { posixAccounts, sshPublicKeys } };
      const user = ({ osLogin }: { readonly osLogin: string }) => (osLogin === "off" ? "admin" : undefined);
      expect(await users({ user, osLogin: account })).toEqual({ own: "ann_example_com", keys: "admin" });
    });

    test("a notice says why the login name is unknown, and the machines stay in the inventory", async () => {
      machine("own", { "enable-oslogin": "TRUE" });
      const notices: string[] = [];
      const said = { ...context, notice: (text: string) => void notices.push(text) };
      const { hosts } = await gceInventory().list(said);
      expect(hosts["own"]).not.toHaveProperty("user");
      fake.settings.self = account;
      await gceInventory().list(said);
      expect(notices).toEqual([
        expect.stringContaining("the credentials do not say which account they belong to") as string,
        expect.stringContaining(`OS Login has no login name for ${account}`) as string,
      ]);
    });

    test("an expired key is an error that says when the key expired", async () => {
      machine("own", { "enable-oslogin": "TRUE" });
      const expired = { abc: { key: "ssh-ed25519 AAAA", expirationTimeUsec: "1700000000000000" } };
      fake.settings.logins = { [account]: { posixAccounts, sshPublicKeys: expired } };
      await expect(users({ osLogin: account })).rejects.toMatchObject({
        failure: {
          what: `OS Login has only expired SSH keys for ${account}`,
          current: "the last one expired at 2023-11-14T22:13:20.000Z",
          hint: expect.stringContaining("gceOsLogin"),
        },
      });
    });

    test("a machine that asks people for a second factor is left out, except for a service account", async () => {
      machine("own", { "enable-oslogin": "TRUE", "enable-oslogin-2fa": "TRUE" });
      const robot = "ci@project-1.iam.gserviceaccount.com";
      const robots = [{ username: "sa_1000", operatingSystemType: "LINUX" }];
      fake.settings.logins = {
        [account]: { posixAccounts, sshPublicKeys },
        [robot]: { posixAccounts: robots, sshPublicKeys },
      };
      expect((await gceInventory({ osLogin: account }).list(context)).leftOut).toEqual([
        { host: "own", reason: expect.stringContaining("second factor") },
      ]);
      expect(await users({ osLogin: robot })).toEqual({ own: "sa_1000" });
    });

    test("if the project's metadata cannot be read, the account in osLogin decides", async () => {
      machine("plain", {});
      fake.settings.logins = { [account]: { posixAccounts, sshPublicKeys } };
      const on = /^GET projects\/project-1$/;
      fake.planned.push({ on, status: 403, reason: "forbidden", message: "Required", times: 2 });
      expect(await users()).toEqual({ plain: undefined });
      expect(await users({ osLogin: account })).toEqual({ plain: "ann_example_com" });
    });
  });

  test("lists only the given zones, and applies a filter", async () => {
    fill(fake, 8);
    const found = await gceInventory({ zones: [zone, "us-central1-a"], filter: 'labels.role = "web"' }).list(context);
    expect(Object.keys(found.hosts)).toEqual(["m-0004", "m-0002", "m-0006"]);
    expect(fake.calls.filter((call) => call.endsWith("/instances")).length).toBe(2);
    expect(fake.calls.length).toBe(2 + 1);
  });

  test("lists 5,000 machines in 4 zones page by page, and retries throttled calls", async () => {
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
    expect(fake.calls.length).toBe(10 + 2 + 1);
    const grown = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    covered(
      `gceInventory: 5000 machines in ${seconds.toFixed(1)} s, ${fake.calls.length} calls, ${grown.toFixed(0)} MB`,
    );
  });

  test("an answer {} to the query for machines does not count as a project without machines", async () => {
    fill(fake, 3);
    fake.instead = (call) => (call.endsWith("/instances") ? {} : undefined);
    const failure = {
      what: "cannot list the instances of project-1, because Google does not return the whole list",
      current: expect.stringContaining("incomplete answer: its kind is missing") as string,
    };
    await expect(gceInventory().list(context)).rejects.toMatchObject({ code: "E_DRIVER", failure });
    await expect(gceInventory({ zones: [zone] }).list(context)).rejects.toMatchObject({ code: "E_DRIVER", failure });
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
