import { root } from "../../../../tasks/ca-certificate/certificates.fixture.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as t from "../../../../tasks/index.ts";
import { isFurrowError } from "../../../core/errors.ts";
import type { Node } from "../../../core/authoring/group.ts";
import { checkConflicts } from "./conflicts.ts";
import { planNodes } from "../plan.ts";

const gce = { name: "a", project: "harvester-lab-1234" };
const zone = "europe-west3-a";
const machine = {
  ...gce,
  zone,
  machineType: "n2-standard-4",
  image: { project: "suse-cloud", family: "sles-15" },
  network: "n",
};
const kubernetes = {
  kubeconfig: "a.kubeconfig",
  fieldManager: "a",
  object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } },
};
const manifest = { kubeconfig: "a.kubeconfig", fieldManager: "a", path: "a.yaml" };
const azureMachine = {
  name: "a",
  group: "g",
  network: "n",
  size: "Standard_D16s_v5",
  image: "Debian:debian-12:12-gen2:latest",
  publicKeys: ["ssh-ed25519 AAAA"],
};
const domain = { name: "a", memoryMiB: 1024, vcpus: 1, disks: [{ file: "/srv/a.qcow2", size: "1G" }] };

/**
 * Params of one thing in each state that its task supports. If you add a `state` param to a task, add a line for the
 * task here.
 */
const states: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  authorizedKey: {
    present: { user: "ana", key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux" },
    absent: { user: "ana", key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHGUqVJ3NjrJ5hjHvJkE6dSg2V8Y7CnXx1bVZpC7h1Ux" },
  },
  azureDisk: { present: { name: "a", group: "g", sizeGb: 5 }, absent: { name: "a", group: "g" } },
  azureNetwork: { present: { name: "a", group: "g" }, absent: { name: "a", group: "g" } },
  azureResourceGroup: { present: { name: "a", location: "westeurope" }, absent: { name: "a" } },
  azureVirtualMachine: { present: azureMachine, stopped: azureMachine, absent: { name: "a", group: "g" } },
  caCertificate: { present: { name: "a", content: root }, absent: { name: "a" } },
  cron: { present: { name: "a", schedule: "@daily", command: "true" }, absent: { name: "a" } },
  digitalOceanDroplet: {
    present: {
      name: "a",
      region: "fra1",
      size: "g-2vcpu-8gb",
      image: "debian-12-x64",
      publicKeys: ["ssh-ed25519 AAAA"],
    },
    absent: { name: "a" },
  },
  digitalOceanFirewall: { present: { name: "a" }, absent: { name: "a" } },
  digitalOceanSshKey: { present: { name: "a", publicKey: "ssh-ed25519 AAAA" }, absent: { name: "a" } },
  digitalOceanVolume: { present: { name: "a", region: "fra1", sizeGb: 5 }, absent: { name: "a", region: "fra1" } },
  ec2Address: { present: { name: "a" }, absent: { name: "a" } },
  ec2Instance: {
    running: { name: "a", type: "m8i.large", image: { owner: "099720109477", name: "ubuntu-*" } },
    stopped: { name: "a", type: "m8i.large", image: { owner: "099720109477", name: "ubuntu-*" } },
    absent: { name: "a" },
  },
  ec2InternetGateway: { present: { name: "a", vpc: "v" }, absent: { name: "a" } },
  ec2KeyPair: {
    present: { name: "a", publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample" },
    absent: { name: "a" },
  },
  ec2SecurityGroup: { present: { name: "a", rules: [] }, absent: { name: "a" } },
  ec2Subnet: { present: { name: "a", vpc: "v", cidr: "10.20.1.0/24" }, absent: { name: "a" } },
  ec2Volume: { present: { name: "a", sizeGb: 5, zone: "eu-west-1a" }, absent: { name: "a" } },
  ec2Vpc: { present: { name: "a", cidr: "10.20.0.0/16" }, absent: { name: "a" } },
  file: {
    file: { path: "/srv/a", content: "x" },
    directory: { path: "/srv/a" },
    link: { path: "/srv/a", target: "b" },
    absent: { path: "/srv/a" },
  },
  fileBlock: { present: { path: "/srv/a", block: "x" }, absent: { path: "/srv/a" } },
  fileLine: { present: { path: "/srv/a", line: "x" }, absent: { path: "/srv/a", line: "x" } },
  firewalld: { present: { ports: ["443/tcp"] }, absent: { ports: ["443/tcp"] } },
  group: { present: { name: "a" }, absent: { name: "a" } },
  gceAddress: { present: { ...gce, region: "europe-west3" }, absent: { ...gce, region: "europe-west3" } },
  gceDisk: { present: { ...gce, zone, sizeGb: 5 }, absent: { ...gce, zone } },
  gceFirewall: { present: { ...gce, network: "n", allow: ["tcp:22"], sourceRanges: ["192.0.2.7/32"] }, absent: gce },
  gceInstance: { present: machine, stopped: machine, absent: { ...gce, zone } },
  gceNetwork: { present: gce, absent: gce },
  gceOsLogin: {
    present: { ...gce, zone, key: "ssh-ed25519 AAAA", account: "ann@example.com" },
    absent: { ...gce, zone, key: "ssh-ed25519 AAAA", account: "ann@example.com" },
  },
  gceSubnetwork: {
    present: { ...gce, region: "europe-west3", network: "n", cidr: "10.20.0.0/20" },
    absent: { ...gce, region: "europe-west3" },
  },
  grubParameter: { present: { name: "a", value: 1 }, absent: { name: "a" } },
  ipmiPower: {
    on: { address: "b", user: "u", password: "p" },
    off: { address: "b", user: "u", password: "p" },
    cycled: { address: "b", user: "u", password: "p" },
  },
  kernelModule: { loaded: { name: "a" }, unloaded: { name: "a" }, blacklisted: { name: "a" } },
  kubeManifest: { present: manifest, absent: manifest },
  kubeObject: { present: kubernetes, absent: kubernetes },
  libvirtDomain: { running: domain, shutoff: domain, absent: { name: "a" } },
  libvirtNet: {
    active: { name: "a", bridge: "virbr1", address: "192.168.122.1" },
    inactive: { name: "a", bridge: "virbr1", address: "192.168.122.1" },
    absent: { name: "a" },
  },
  libvirtPower: { running: { name: "a" }, shutoff: { name: "a" } },
  mount: {
    mounted: { path: "/mnt/a", source: "UUID=1", fileSystem: "ext4" },
    unmounted: { path: "/mnt/a", source: "UUID=1", fileSystem: "ext4" },
    absent: { path: "/mnt/a" },
  },
  nftables: { present: { table: "a", rules: "chain c { }\n" }, absent: { table: "a" } },
  package: { present: { name: "a" }, latest: { name: "a" }, absent: { name: "a" } },
  packageRepo: {
    present: { manager: "apt", name: "a", uris: ["http://127.0.0.1/"], suites: ["./"], trusted: true },
    absent: { manager: "apt", name: "a" },
  },
  redfishPower: {
    on: { url: "https://b", user: "u", password: "p" },
    off: { url: "https://b", user: "u", password: "p" },
    cycled: { url: "https://b", user: "u", password: "p" },
  },
  service: { started: { name: "a" }, stopped: { name: "a" } },
  systemdUnit: {
    present: { name: "a.service", sections: { Service: { ExecStart: "/bin/true" } } },
    absent: { name: "a.service" },
  },
  sysctl: { present: { key: "vm.swappiness", value: "1" }, absent: { key: "vm.swappiness" } },
  user: { present: { name: "a" }, absent: { name: "a" } },
};

/** Pairs of states that can both be true on one host, or that only a host can distinguish. */
const agreeing: Readonly<Record<string, readonly string[]>> = {
  // The key may be registered under another name.
  digitalOceanSshKey: ["present, absent"],
  package: ["present, latest", "latest, present"],
};

/**
 * These tasks depend on many other facts (images, zones, disks, an account's roles, a server's response), or refuse
 * unless a machine exists, so only the run can tell whether two of them agree.
 */
const undecided = new Set([
  "azureDisk",
  "azureNetwork",
  "azureResourceGroup",
  "azureVirtualMachine",
  "digitalOceanDroplet",
  "digitalOceanVolume",
  "ec2Instance",
  "ec2Volume",
  "gceOsLogin",
  "kubeManifest",
  "libvirtDomain",
  "libvirtPower",
]);

/** These tasks only wait and want nothing. `pkg` is another name for `package`. */
const waits = new Set(["kubeWait", "waitFor", "pkg"]);

type Maker = ((params: object) => Node) & { readonly card?: { readonly params: unknown } };
const tasks = Object.entries(t as unknown as Record<string, Maker>);

/** The values that a task's schema accepts for the param `state`. */
function statesOf(schema: unknown): string[] {
  const json = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" })),
  ) as JsonSchema;
  return [json, ...(json.anyOf ?? [])].flatMap(({ properties }) => {
    const state = properties?.["state"];
    return state === undefined ? [] : (state.enum ?? (state.const === undefined ? [] : [state.const]));
  });
}
interface JsonSchema {
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, { readonly enum?: string[]; readonly const?: string }>>;
}

function isRefused(nodes: readonly Node[]): boolean {
  try {
    checkConflicts(planNodes(nodes, { target: "h", path: [], tags: [], when: [], become: undefined }, ""));
    return false;
  } catch (error) {
    if (isFurrowError(error) && error.code === "E_CONFLICTING_WANTS") return true;
    throw error;
  }
}

describe("two tasks that want the same thing in different states are refused before the run", () => {
  test.each(tasks.filter(([name]) => !waits.has(name)))("%s", (name, make) => {
    const known = make.card === undefined ? [] : [...new Set(statesOf(make.card.params))];
    expect(Object.keys(states[name] ?? {}).toSorted(), "a line in the table above").toEqual(known.toSorted());
    const call = (state: string): Node => make({ ...states[name]?.[state], state });
    const accepted = known.flatMap((first) =>
      known
        .filter((second) => second !== first && !isRefused([call(first), call(second)]))
        .map((second) => `${first}, ${second}`),
    );
    expect(undecided.has(name) ? [] : accepted).toEqual(agreeing[name] ?? []);
    for (const state of known) expect(isRefused([call(state), call(state)]), `${state} twice`).toBe(false);
  });
});
