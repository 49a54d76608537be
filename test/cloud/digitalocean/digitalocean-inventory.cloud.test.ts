import { createServer } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { digitalOceanInventory } from "../../../src/cloud/digitalocean/inventory.ts";
import type { SourceContext } from "../../../src/core/inventory/inventory-source.ts";
import { provision } from "./books.ts";
import { type DigitalOceanFake, token } from "../digitalocean-fake/fake.ts";
import { eachWithDigitalOceanFake } from "../digitalocean-fake/here.ts";
import { furrow } from "../furrow.ts";
import { runHere } from "../run-here.ts";

let fake: DigitalOceanFake;
eachWithDigitalOceanFake((made) => {
  fake = made;
});

const keys: string[] = [];
const context: SourceContext = {
  signal: new AbortController().signal,
  folder: "/",
  notice: () => undefined,
  now: new Date(),
  cache: {
    remembered: (key, _age, produce) => {
      keys.push(key);
      return produce();
    },
  },
};

/** Adds droplets without provisioning them. */
const fill = (count: number, more: object = {}): void => {
  for (let at = 1; at <= count; at += 1) {
    fake.account.droplets.push({
      id: at,
      name: `m-${at}`,
      region: "ams3",
      size: "s-1vcpu-1gb",
      image: "debian-12-x64",
      vpc: "v",
      tags: new Set(["web"]),
      keys: [],
      address: `127.31.0.${at % 250}`,
      status: "active",
      settles: 0,
      next: "",
      ...more,
    });
  }
};

describe("digitalOceanInventory", () => {
  test("finds a provisioned droplet by its tag, with its volumes", async () => {
    fill(1);
    await runHere(provision);
    const { hosts, groups, leftOut } = await digitalOceanInventory({
      tag: "made-by:furrow",
      groupBy: ["region", "tags"],
    }).list(context);
    expect(hosts).toEqual({
      lab: {
        address: expect.stringMatching(/^127\.30\./) as string,
        user: "root",
        vars: { digitalOcean: expect.objectContaining({ volumes: ["lab-data"], size: "g-16vcpu-64gb" }) as object },
      },
    });
    expect(groups).toEqual({
      fra1: { hosts: ["lab"] },
      "furrow-lab": { hosts: ["lab"] },
      "made-by-furrow": { hosts: ["lab"] },
    });
    expect(leftOut).toEqual([]);
  });

  test("filters by region, can use private addresses, and reports droplets that are off", async () => {
    fill(1);
    await runHere(provision);
    const [made] = fake.account.droplets.filter(({ name }) => name === "lab");
    const privately = await digitalOceanInventory({ regions: ["fra1"], address: "private" }).list(context);
    expect(privately.hosts).toMatchObject({ lab: { address: expect.stringMatching(/^10\.135\./) as string } });
    expect(Object.keys(privately.hosts)).toEqual(["lab"]);
    Object.assign(made ?? {}, { status: "off", next: "" });
    expect((await digitalOceanInventory({ regions: ["fra1"] }).list(context)).leftOut).toEqual([
      { host: "lab", reason: "off" },
    ]);
  });

  test("reads all pages", async () => {
    fill(450);
    expect(Object.keys((await digitalOceanInventory().list(context)).hosts)).toHaveLength(450);
    expect(fake.calls).toEqual(["GET droplets", "GET droplets", "GET droplets"]);
  });

  test("caches answers for each token, without storing the token", async () => {
    await digitalOceanInventory({ maximumAgeSeconds: 60 }).list(context);
    vi.stubEnv("DIGITALOCEAN_ACCESS_TOKEN", `${token}2`);
    await expect(digitalOceanInventory({ maximumAgeSeconds: 60 }).list(context)).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { what: "cannot list the droplets at DigitalOcean" },
    });
    expect(new Set(keys).size).toBe(2);
    expect(keys.join(" ")).not.toContain(token);
  });
});

/** Needs root, because the last task of the playbook waits for port 22. */
const canListen = process.getuid?.() === 0;

describe.skipIf(!canListen)("the playbooks", () => {
  test("provision a droplet that the inventory lists, and destroy it, without showing the token", async () => {
    const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEtVyUwBxUtUWrHl9L8ReFxpKg2ThgNQ6zXWyQOFvVwC me@here";
    const from = 'manageFrom=["192.0.2.7/32"]';
    const words = [
      "playbooks/clouds/provision-digitalocean.ts",
      "-i",
      "local",
      "--json",
      "--var",
      `publicKey=${publicKey}`,
    ];
    const checked = await furrow("check", ...words, "--var", from);
    expect([checked.code, fake.changes], checked.stderr + checked.stdout).toEqual([0, []]);
    const sshd = createServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-fake\r\n"));
    await new Promise<void>((settle) => sshd.listen(22, "127.32.0.1", settle));
    fake.settings.addressOf = () => "127.32.0.1";
    const ran = await furrow("run", ...words, "--var", from);
    sshd.close();
    expect(ran.code, ran.stderr + ran.stdout).toBe(0);
    expect(fake.account.things()).toEqual({
      droplets: ["harvester"],
      volumes: ["harvester-data-1"],
      keys: ["harvester (made by furrow)"],
      firewalls: ["harvester"],
    });
    const listed = await furrow("inventory", "-i", "inventory/digitalocean.ts", "--json");
    expect(listed.stdout).toContain("scsi-0DO_Volume_harvester-data-1");
    const destroy = [
      "playbooks/clouds/destroy-cloud.ts",
      "-i",
      "local",
      "--json",
      "--yes",
      "--var",
      "cloud=digitalocean",
    ];
    const gone = await furrow("run", ...destroy, "--var", "prefix=harvester");
    expect(gone.code, gone.stderr + gone.stdout).toBe(0);
    expect(fake.account.things()).toEqual({});
    for (const { stdout, stderr } of [checked, ran, listed, gone]) expect(stdout + stderr).not.toContain(token);
  }, 240_000);

  test("take the token from a secret var", async () => {
    vi.stubEnv("DIGITALOCEAN_ACCESS_TOKEN", "");
    vi.stubEnv("OWN_TOKEN", token);
    const from = ["-i", "local", "-i", "test/cloud/digitalocean/token-inventory.ts"];
    const words = ["playbooks/clouds/destroy-cloud.ts", ...from, "--json", "--yes", "--var", "cloud=digitalocean"];
    const { code, stdout, stderr } = await furrow("run", ...words, "--var", "prefix=harvester");
    expect(code, stderr + stdout).toBe(0);
    expect(fake.calls.length).toBeGreaterThan(0);
    expect(stdout + stderr).not.toContain(token);
  }, 120_000);
});
