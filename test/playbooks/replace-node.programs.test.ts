import { expect, test } from "vitest";
import replaceNode from "../../playbooks/harvester-replace-node.ts";
import { reveal } from "../../src/core/secrets/secret.ts";
import { hostFacts, type Json } from "../../src/authoring.ts";
import { simulate, type Simulation } from "../../src/testing/index.ts";
import { answerFor, soundCluster, threeNodes } from "../guards/examples.ts";
import { authorityShownIn } from "../guards/registry.ts";

const vars = {
  nodes: 3,
  size: { processors: 1, memoryMiB: 512, diskGiB: 2 },
  disks: ["/dev/disk/by-id/a", "/dev/disk/by-id/b", "/dev/disk/by-id/c"],
  token: "t",
  password: "p",
  emulation: "software",
};

const asked = { url: "http://192.168.130.1/boot.ipxe", timeoutSeconds: 10 };
const script = "#!ipxe\ndhcp\nchain http://192.168.130.1/nodes/${net0/mac:hexhyp}.ipxe\n";
const host = {
  ...authorityShownIn("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
  [`host:${hostFacts().key}`]: {
    hostname: "metal",
    os: { id: "debian", version: "12", like: ["debian"] },
    architecture: "x86_64",
    kernel: "6.1",
    processors: 64,
    memoryBytes: 256 * 2 ** 30,
    kvm: true,
    addresses: {},
  },
  [`hostHttp:${JSON.stringify(asked)}`]: { status: 200, headers: {}, body: script },
  "file:/etc/nginx": { type: "directory" as const },
  "group:www-data": { gid: 33 },
  "file:/srv/www/harvester": { type: "directory" as const },
  "unit:nginx.service": { state: "started" as const, enabled: true },
};

/** Replaces a node in a cluster in which some nodes are down, up to the point where it has its new configuration. */
function replace(node: number, ...down: number[]): Promise<Simulation> {
  const cluster = { ...soundCluster, nodes: threeNodes(...down) };
  return simulate(replaceNode, {
    hosts: ["metal"],
    vars: { ...vars, node },
    state: { metal: host },
    drivers: {
      kubernetes: (request: Json) => answerFor(cluster, request as { readonly path: string }),
    },
  });
}

test.each([1, 2])(
  "a reinstalled node %d joins the existing cluster, even if the node once created the cluster",
  async (node) => {
    const { state, tasks } = await replace(node);
    const file = (number: number): string => `file:/srv/www/harvester/nodes/52-54-00-68-76-0${number}.yaml`;
    const text = (number: number): string =>
      reveal((state["metal"]?.[file(number)] as { readonly text?: string } | undefined)?.text ?? "");
    expect(JSON.parse(text(node))).toMatchObject({
      server_url: "https://192.168.130.120:443",
      os: { hostname: `harvester-${node}` },
      install: { mode: "join" },
    });
    // The node that created the cluster keeps its configuration until it is reinstalled.
    expect(JSON.parse(text(1))).toMatchObject({ install: { mode: node === 1 ? "join" : "create" } });
    const left = tasks.map(({ title }) => title);
    expect(left.indexOf(`harvester-${node} is out of the cluster`)).toBeLessThan(
      left.indexOf(`file /srv/www/harvester/nodes`),
    );
  },
);

test("no node is replaced while another node is down, because the cluster would lose its quorum", async () => {
  const { tasks } = await replace(2, 3);
  expect(tasks.filter(({ outcome }) => outcome === "changed")).toEqual([]);
  expect(tasks.at(-1)?.error?.message).toBe("without harvester-2 only 1 of 3 voting nodes is up, but 2 are needed");
});
