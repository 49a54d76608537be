import type { Json } from "../../src/authoring.ts";
import { certificateDigest } from "../../src/core/host/certificate-digest.ts";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets } from "../../src/core/secrets/secret.ts";
import type { SimulatedState } from "../../src/testing/index.ts";
import { clusterSchema } from "../../roles/cluster/cluster.ts";
import { clusterNodes } from "../../roles/cluster/nodes.ts";
import { fingerprintPath } from "../../roles/cluster/places.ts";
import { askedNode, fingerprintOf, fingerprintText } from "../../roles/identity/fingerprint.ts";

const pong = { status: 200, headers: {}, body: "pong" };
const authority = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----\n`;

/** The web servers of the cluster with this CA. */
export function serving(name: string): (request: Json) => object {
  return (request) =>
    (request as { readonly url: string }).url.endsWith("/cacerts") ? { ...pong, body: authority(name) } : pong;
}

/** The disk image of the node with this name. */
export function imageOf(name: string): string {
  return `/mnt/datadisk${name.split("-").at(-1)}/harvester-data.qcow2`;
}

/** The node records of a cluster that was deployed with these vars and has the CA `AAAA`. */
export function recordsOf(vars: object): SimulatedState {
  const cluster = clusterSchema.parse(vars);
  const nodes = clusterNodes(cluster).map((node) => [node.name, askedNode(cluster, node, "metal")] as const);
  for (const { settle } of pendingSecrets()) settle(newOpenSshKey("lab"));
  const ca = certificateDigest(authority("AAAA")) ?? "";
  return Object.fromEntries(
    nodes.map(([name, asked]) => [
      `file:${fingerprintPath(name)}`,
      { type: "file", text: fingerprintText(fingerprintOf(asked, ca)) },
    ]),
  );
}

/** What libvirt reports on a host with these nodes, by name and state. */
export function libvirtWith(states: Readonly<Record<string, string>>): SimulatedState {
  const claims = Object.entries(states).map(([name, state]) => [
    name,
    { active: state !== "shut off", disks: [imageOf(name)], networks: ["vlan1"], bridges: [] },
  ]);
  return {
    "libvirt:system": {
      daemon: "up",
      problem: "",
      networks: {},
      domains: Object.fromEntries(claims),
      links: {},
    },
    "libvirtNet:vlan1": { active: true },
  };
}
