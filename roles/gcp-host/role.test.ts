import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canNest } from "../../src/facts/cloud/gce/nesting.ts";
import { gcpHost, gcpHostGone, gcpHostSchema, ladder } from "./role.ts";

const inputs = (calls: readonly unknown[]): unknown[] =>
  calls.flat(2).flatMap((call) => (call === false ? [] : [(call as { input: unknown }).input]));

test("gives three small nodes three data disks and the next larger machine", () => {
  const host = gcpHostSchema.parse({ project: "project-1", publicKey: "ssh-ed25519 AAAA", nodes: 3 });
  expect(inputs(gcpHost(host, ["192.0.2.7/32"]))).toMatchObject([
    { name: "harvester", key: "ssh-ed25519 AAAA" },
    { name: "harvester" },
    { allow: ["tcp:443"], sourceRanges: ["0.0.0.0/0"] },
    { allow: ["tcp:22", "tcp:6443"], sourceRanges: ["192.0.2.7/32"] },
    { region: "europe-west3" },
    { name: "harvester-data-1" },
    { name: "harvester-data-2" },
    { name: "harvester-data-3" },
    { machineType: "n4-standard-32", nested: true, disks: { length: 3 } },
    { port: 22 },
  ]);
});

test("puts the machine into a subnetwork of its own", () => {
  const wanted = { project: "project-1", publicKey: "ssh-ed25519 AAAA", subnetCidr: "10.20.0.0/24" };
  const made = inputs(gcpHost(gcpHostSchema.parse(wanted), ["192.0.2.7/32"]));
  expect(made.slice(1, 3)).toMatchObject([
    { name: "harvester", subnets: "custom" },
    { name: "harvester-own", region: "europe-west3", network: "harvester", cidr: "10.20.0.0/24" },
  ]);
  expect(made).toContainEqual(expect.objectContaining({ network: "harvester", subnetwork: "harvester-own" }));
});

test("looks for the machine in all zones, and deletes it before the objects that it uses, and a network after everything in it", () => {
  const gone = inputs(gcpHostGone({ project: "project-1", zone: "europe-west3-a", prefix: "lab" }));
  const names = gone.map((input) => (input as { name: string }).name);
  const disks = [1, 2, 3, 4, 5].map((number) => `lab-data-${number}`);
  expect(names).toEqual(["lab", "lab", ...disks, "lab", "lab-managed", "lab-open", "lab-own", "lab"]);
});

test("the guide shows the role's machine types, all of which can run virtual machines", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/harvester.md"), "utf8");
  const shown = [...guide.matchAll(/^\| \d .* \| `([a-z0-9-]+)` +\| `m8i\./gm)].map(([, type]) => type);
  expect(shown).toEqual([...ladder]);
  expect(ladder.filter((name) => !canNest({ name, architecture: "X86_64", cpus: 16, memoryMb: 65_536 }))).toEqual([]);
});

const wanted = { project: "project-1", publicKey: "ssh-ed25519 AAAA" };
const issues = (vars: object): string[] =>
  gcpHostSchema
    .safeParse({ ...wanted, ...vars })
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("a machine without a public address needs a way in for SSH", () => {
  expect(issues({ publicAddress: false })).toEqual([
    "publicAddress: true, or a route to the private address: tunnel=iap, proxyJump=HOST, or insideNetwork=true if furrow runs inside the machine's network",
  ]);
  expect(issues({ publicAddress: false, insideNetwork: true })).toEqual([
    'manageFrom: the networks from which this machine reaches the machine, like ["10.0.0.0/24"]',
  ]);
  expect(issues({ network: "shared", subnetCidr: "10.20.0.0/24" })).toHaveLength(1);
  expect(issues({ publicAddress: false, tunnel: "iap" })).toEqual([]);
  expect(issues({ manageFrom: [] })).toEqual(["manageFrom: at least one network, because there is no tunnel"]);
});

test("a machine behind IAP has no external address, and its network admits only the tunnels", () => {
  const made = inputs(gcpHost(gcpHostSchema.parse({ ...wanted, publicAddress: false, tunnel: "iap" }), []));
  expect(made).toMatchObject([
    { tunnel: "iap" },
    { network: "harvester", tag: "harvester", tunnel: true, publicAddress: false },
    { name: "harvester", key: "ssh-ed25519 AAAA" },
    { name: "harvester" },
    { allow: ["tcp:443"], sourceRanges: ["0.0.0.0/0"] },
    { allow: ["tcp:22", "tcp:6443"], sourceRanges: ["35.235.240.0/20"] },
    { name: "harvester-data-1" },
    { address: "none", labels: { reach: "iap" } },
    { name: "harvester", state: "absent" },
    { port: 22, tunnel: { iap: { instance: "harvester", project: "project-1", zone: "europe-west3-a" } } },
  ]);
});

test("puts a machine into an existing network, and does not change that network", () => {
  const host = gcpHostSchema.parse({ ...wanted, network: "shared", subnetwork: "inside" });
  const made = inputs(gcpHost(host, ["192.0.2.7/32"]));
  expect(made).toContainEqual(expect.objectContaining({ network: "shared", subnetwork: "inside" }));
  expect(made.filter((input) => "subnets" in (input as object))).toEqual([]);
  expect(made[1]).toMatchObject({ allow: ["tcp:443"], network: "shared" });
});
