import { type OrRef, type Secret, secretText, z } from "../../src/authoring.ts";
import { common } from "../../tasks/digital-ocean-droplet/own.ts";
import { params as dropletParams } from "../../tasks/digital-ocean-droplet/params.ts";
import * as t from "../../tasks/index.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { fits, hostVars, networkRange } from "../cloud-host/vars.ts";

/**
 * Sizes with dedicated CPUs, in order of size. The largest General Purpose size is slightly smaller than the largest
 * machine that furrow creates in the other clouds.
 */
export const ladder = ["g-16vcpu-64gb", "g-32vcpu-128gb", "g-60vcpu-240gb"] as const;

/** The number of nodes in the largest cluster, which is also the number of volumes. */
const mostVolumes = 5;

/** The default region of a new droplet. */
const defaultRegion = "fra1";

/** The tag by which inventory/digitalocean.ts finds the droplets of this role. */
export const madeBy = "made-by:furrow";

const { prefix, nodes, size, type, publicKey, manageFrom, dataDiskGb } = hostVars;
const { shape } = dropletParams;
const sources = networkRange.array().min(1, "at least one network").optional();

/** The vars of a cluster's host at DigitalOcean. */
export const digitalOceanHostSchema = z.object({
  prefix,
  nodes,
  size,
  type: fits(type, shape.size).describe("Size of the droplet; default: depends on the number and size of the nodes"),
  publicKey,
  manageFrom: fits(manageFrom, sources).describe(
    "Networks from which logins and API requests are allowed; default: only this machine's public address",
  ),
  dataDiskGb: fits(dataDiskGb, z.number().max(16_384, "at most 16384 GiB")),
  region: common.region().default(defaultRegion).describe("Region of the droplet and its volumes"),
  image: fits(z.string(), shape.image).default("debian-12-x64").describe("Slug of the image"),
  vpc: shape.vpc.describe("VPC network, by its UUID; default: the account's default VPC in the region"),
  digitalOceanToken: secretText()
    .optional()
    .describe("API token for DigitalOcean, a secret; default: DIGITALOCEAN_ACCESS_TOKEN"),
});

type DigitalOceanHost = z.output<typeof digitalOceanHostSchema>;

/** Maintains a droplet for a cluster: SSH key, firewall and a volume for each node, all with the same prefix. */
export function digitalOceanHost(host: DigitalOceanHost, manageFrom: readonly OrRef<string>[]) {
  const { prefix: name, region, publicKey, image, vpc, digitalOceanToken: token } = host;
  const shared = { owner: name, token };
  const volumes = volumeNames(name).slice(0, host.nodes);
  const tcp = (numbers: readonly number[]): string[] => numbers.map((port) => `tcp:${port}`);
  const machine = t.digitalOceanDroplet({
    ...shared,
    name,
    region,
    size: host.type ?? ladder[stepOf(host)],
    image,
    vpc,
    publicKeys: [publicKey],
    volumes,
    tags: [madeBy],
  });
  return [
    t.digitalOceanSshKey({ name, publicKey, token }),
    // The firewall is created first, so the droplet is protected as soon as it boots.
    t.digitalOceanFirewall({
      ...shared,
      name,
      inbound: [
        { allow: tcp(ports.open), from: ["0.0.0.0/0", "::/0"] },
        { allow: tcp(ports.managed), from: manageFrom },
      ],
    }),
    volumes.map((volume) => t.digitalOceanVolume({ ...shared, name: volume, region, sizeGb: host.dataDiskGb })),
    machine,
    t.waitFor({ port: 22, deadlineSeconds: 600, address: machine.output.map(({ address }) => address) }),
  ];
}

/** The properties of a host that must be known in order to delete it. */
export interface DigitalOceanHostGone {
  readonly prefix: string;
  /** Default: whichever region the droplet is in. */
  readonly region?: string | undefined;
  readonly token?: Secret | undefined;
}

/** Deletes the droplet and everything that belongs to it, including the volumes with their data. */
export function digitalOceanHostGone({ prefix: name, region, token }: DigitalOceanHostGone) {
  const gone = { owner: name, token, state: "absent" as const };
  return [
    t.digitalOceanDroplet({ ...gone, name, region }),
    volumeNames(name).map((volume) => t.digitalOceanVolume({ ...gone, name: volume, region })),
    t.digitalOceanFirewall({ ...gone, name }),
    t.digitalOceanSshKey({ name, token, state: "absent" }),
  ];
}

function volumeNames(name: string): string[] {
  return Array.from({ length: mostVolumes }, (_, at) => `${name}-data-${at + 1}`);
}
