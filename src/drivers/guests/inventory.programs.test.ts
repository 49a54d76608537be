import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer } from "../../../test/kube/server/answering-server.ts";
import type { SourceContext, SourceListing } from "../../core/inventory/inventory-source.ts";
import { guestInventory, type GuestInventoryOptions } from "./inventory.ts";

const server = new AnsweringServer();
beforeAll(() => server.up());
afterAll(() => server.down());

const listed = (kind: string, items: readonly object[]): object => ({ kind: `${kind}List`, metadata: {}, items });
const guest = (
  name: string,
  {
    node = "harvester-1",
    interfaces = [{ ipAddress: "10.52.0.7" }] as object[],
    phase = "Running",
    id = "ubuntu",
  } = {},
): object => ({
  metadata: { name, namespace: "default", labels: { tier: "web" } },
  status: { phase, nodeName: node, interfaces, guestOSInfo: { id } },
});
const machine = (name: string, os?: string): object => ({
  metadata: { name, namespace: "default", ...(os !== undefined && { labels: { "harvesterhci.io/os": os } }) },
});
const node = (name: string, address?: string): object => ({
  metadata: { name },
  status: { addresses: address === undefined ? [] : [{ type: "InternalIP", address }] },
});

function answer(guests: readonly object[], machines: readonly object[] = []): void {
  const says = (body: object) => [{ status: 200, body }];
  server.said = {
    "GET /apis/kubevirt.io/v1/virtualmachineinstances": says(listed("VirtualMachineInstance", guests)),
    "GET /apis/kubevirt.io/v1/virtualmachines": says(listed("VirtualMachine", machines)),
    "GET /api/v1/nodes": says(listed("Node", [node("harvester-1", "192.168.10.11"), node("harvester-2")])),
  };
}

const list = (options: Partial<GuestInventoryOptions> = {}): Promise<SourceListing> =>
  guestInventory({ kubeconfig: "kubeconfig", ...options }).list({
    signal: new AbortController().signal,
    folder: server.folder,
  } as SourceContext);

beforeEach(() => answer([guest("web"), guest("db", { interfaces: [{ ipAddress: "10.52.0.8" }] })]));

test("a guest that has the same name as a node does not take the node's place", async () => {
  server.said["GET /api/v1/nodes"] = [
    { status: 200, body: listed("Node", [node("harvester-1.default", "192.168.10.11")]) },
  ];
  server.said["GET /apis/kubevirt.io/v1/virtualmachineinstances"] = [
    {
      status: 200,
      body: listed("VirtualMachineInstance", [
        guest("web", { node: "harvester-1.default" }),
        guest("harvester-1", { node: "harvester-1.default" }),
      ]),
    },
  ];
  const { hosts, groups, leftOut } = await list({ vars: () => ({}) });
  expect(hosts["harvester-1.default"]).toEqual({ address: "192.168.10.11" });
  expect(groups?.["guests"]).toEqual({ hosts: ["web.default"] });
  expect(leftOut).toEqual([{ host: "harvester-1.default", reason: "it has the name of a node" }]);
});

describe("the guests of a cluster", () => {
  test("are hosts that are reached through their node", async () => {
    const { hosts, groups, leftOut } = await list({ vars: () => ({}) });
    expect(hosts).toEqual({
      "harvester-1": { address: "192.168.10.11" },
      "web.default": { address: "10.52.0.7", proxyJump: "harvester-1", vars: {} },
      "db.default": { address: "10.52.0.8", proxyJump: "harvester-1", vars: {} },
    });
    expect(groups).toEqual({
      guests: { hosts: ["web.default", "db.default"] },
      nodes: { hosts: ["harvester-1"] },
    });
    expect(leftOut).toEqual([]);
  });

  test("are reached directly or through another host, with a user of their own, if the inventory says so", async () => {
    const direct = await list({ through: "direct", user: ({ system }) => system, vars: ({ node: on }) => ({ on }) });
    expect(direct.hosts["web.default"]).toEqual({ address: "10.52.0.7", user: "ubuntu", vars: { on: "harvester-1" } });
    expect(server.seen.slice(-2).some((request) => request.includes("/nodes"))).toBe(false);
    const jump = await list({ through: ({ labels }) => `${labels["tier"]}-jump`, vars: () => ({}) });
    expect(jump.hosts["db.default"]).toMatchObject({ proxyJump: "web-jump" });
    expect(jump.groups?.["nodes"]?.hosts).toEqual([]);
  });

  test("have an address that can be reached: IPv4 before IPv6, never a link-local one", async () => {
    answer([
      guest("a", { interfaces: [{ ipAddress: "fe80::1", ipAddresses: ["fe80::1", "fd00::7", "192.168.30.7"] }] }),
      guest("b", { interfaces: [{}, { ipAddresses: ["fd00::8"] }] }),
    ]);
    const { hosts } = await list();
    expect([hosts["a.default"]?.address, hosts["b.default"]?.address]).toEqual(["192.168.30.7", "fd00::8"]);
  });

  test("that cannot be reached by SSH are left out, with the reason", async () => {
    answer(
      [
        guest("win", { id: "mswindows" }),
        guest("labelled"),
        guest("mute", { interfaces: [] }),
        guest("new", { phase: "Scheduling", node: "" }),
        guest("lost", { node: "harvester-2" }),
      ],
      [machine("labelled", "windows"), machine("mute", "linux")],
    );
    const { hosts, groups, leftOut } = await list();
    expect(hosts).toEqual({});
    expect(groups?.["guests"]?.hosts).toEqual([]);
    expect(leftOut).toEqual([
      { host: "win.default", reason: "Windows" },
      { host: "labelled.default", reason: "Windows" },
      { host: "mute.default", reason: "no address; is qemu-guest-agent running?" },
      { host: "new.default", reason: "Scheduling" },
      { host: "lost.default", reason: "its node harvester-2 has no address" },
    ]);
  });

  test("in other namespaces are not listed", async () => {
    expect((await list({ namespaces: ["shop"] })).hosts).toEqual({});
  });
});

test.each([
  ["is refused", { status: 403, body: { kind: "Status", message: "you may not" } }, "HTTP 403: you may not"],
  ["is of a different kind", { status: 200, body: listed("Pod", []) }, "the answer is a PodList"],
  [
    "has an object without a phase",
    { status: 200, body: listed("VirtualMachineInstance", [{ metadata: { name: "a", namespace: "b" }, status: {} }]) },
    "a VirtualMachineInstance without a usable status.phase",
  ],
])("an answer that %s is an error, and does not mean that the cluster has no guests", async (_what, said, current) => {
  server.said["GET /apis/kubevirt.io/v1/virtualmachineinstances"] = [said];
  const error = (await list().catch((one: unknown) => one)) as { failure: { current: string; hint: string } };
  expect(error.failure.current).toContain(current);
  expect(error.failure.hint).toContain("is allowed to read nodes");
});

test("a missing kubeconfig is not reported as missing permissions: the hint says how to get it", async () => {
  const source = guestInventory({ kubeconfig: "missing.yaml" });
  const context = { folder: "/nowhere", signal: new AbortController().signal } as never;
  const error = (await source.list(context).catch((one: unknown) => one)) as {
    failure: { current: string; hint: string };
  };
  expect(error.failure.current).toContain("/nowhere/missing.yaml does not exist");
  expect(error.failure.hint).toContain("Correct the path, or get the file");
});
