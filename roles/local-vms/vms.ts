import { passwordHash, seconds, z } from "../../src/authoring.ts";
import { nicIssues } from "./nic-issues.ts";
import { volume } from "../virtual-machines/machines.ts";
import { bridgeParam } from "../vm-hosts/bridge-there.ts";

const nameForm = "a name of at most 63 characters: lower-case letters, digits and dashes";
const name = () => z.string({ error: nameForm }).regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, nameForm);

const sizeForm = "a size, like 10Gi or 512Mi";
const size = () => z.string({ error: sizeForm }).regex(/^[1-9]\d*(Mi|Gi|Ti)$/, sizeForm);

const sourceForm =
  "the https URL of one release of an image, without latest in it, or docker://REGISTRY/IMAGE@sha256:HEX";

/** Refuses a URL whose image may change: a second machine could differ from the first. */
const source = () =>
  z
    .string({ error: sourceForm })
    .refine(
      (text) =>
        /^docker:\/\/[a-z0-9][\w./:-]*@sha256:[0-9a-f]{64}$/.test(text) ||
        (/^https:\/\/[^\s@"'\\]+$/.test(text) && !/latest|current|daily/i.test(text)),
      sourceForm,
    );

const network = z.strictObject({
  bridge: bridgeParam().describe("Bridge on every node"),
  vlan: z.int().min(1).max(4094).optional().describe("VLAN on the bridge; default: untagged"),
});

const image = z.strictObject({
  source: source().describe(
    "Image: the https URL of one release, or `docker://REGISTRY/IMAGE@sha256:HEX`; `latest` is refused",
  ),
  size: size().describe("Size of the image's volume: `10Gi`"),
});

const cidrForm = "an address with its prefix length, like 192.168.101.11/24";
const addressForm = "an address, like 192.168.101.1";

const nic = z
  .strictObject({
    network: name().describe("Network: a name in `networks`"),
    address: z
      .cidrv4({ error: cidrForm })
      .optional()
      .describe("Static address with its prefix length: `192.168.101.11/24`; default: by DHCP"),
    gateway: z.ipv4(addressForm).optional().describe("Gateway, for a static address"),
    nameservers: z.array(z.ipv4(addressForm)).default([]).describe("DNS servers; required for a static address"),
    mtu: z.int().min(1280).max(9216).optional().describe("MTU; default: that of the network"),
  })
  .refine(({ address, nameservers }) => address === undefined || nameservers.length > 0, {
    path: ["nameservers"],
    message: "at least one DNS server, because a static address comes without one",
  })
  .refine(({ address, gateway }) => address !== undefined || gateway === undefined, {
    path: ["gateway"],
    message: "nothing, because DHCP provides the gateway",
  });

const disk = z.strictObject({
  image: name().optional().describe("Image from which the disk is created: a name in `images`; default: an empty disk"),
  size: size().describe("Size of the disk: `20Gi`; at least that of the image"),
});

const keyForm = "a public SSH key, like ssh-ed25519 AAAA…";

const machine = z
  .strictObject({
    cores: z.int().min(1).max(254).describe("Number of virtual processors"),
    memory: size().describe("Memory: `2Gi`"),
    disks: z
      .array(disk)
      .min(1, "at least one disk")
      .describe("Disks in the order in which the machine boots from them"),
    nics: z.array(nic).min(1, "at least one network card").describe("Network cards"),
    user: name().default("admin").describe("User who may log in and become root"),
    sshKeys: z
      .array(z.string().regex(/^(ssh|ecdsa|sk)-[\w@.-]+ [A-Za-z0-9+/=]+( .*)?$/, keyForm))
      .default([])
      .describe("Public SSH keys of the user"),
    passwordHash: passwordHash()
      .optional()
      .describe("Hash of the user's password for the console (`openssl passwd -6`); never the password itself"),
    run: z
      .enum(["RerunOnFailure", "Always", "Halted", "Manual"])
      .default("RerunOnFailure")
      .describe("KubeVirt's runStrategy"),
    login: z
      .union([z.literal(false), z.strictObject({ identityFile: z.string().min(1).optional() })])
      .default({})
      .describe(
        "How furrow checks that the user can log in, through the first server: with this private key on the controller, or with the SSH agent's keys (default); false: no check",
      ),
  })
  .refine(({ sshKeys, passwordHash: hash }) => sshKeys.length > 0 || hash !== undefined, {
    path: ["sshKeys"],
    message: "a key, or `passwordHash`: otherwise nobody could log in",
  });

/** Networks, images and machines of a cluster whose volumes are local to its nodes. */
export const localVmFields = {
  namespace: name().default("default").describe("Namespace of networks, images and machines"),
  networks: z.record(name(), network).default({}).describe("Networks for machines by name"),
  images: z.record(name(), image).default({}).describe("Images by name"),
  machines: z.record(name(), machine).default({}).describe("Virtual machines by name"),
  acceptVolumes: z
    .array(volume)
    .default([])
    .describe("Existing volumes, as NAMESPACE/NAME, that new machines and new disks may use with their data"),
  imageSeconds: seconds().default(3600).describe("Seconds within which an image must have been downloaded"),
  machineSeconds: seconds().default(900).describe("Seconds within which a machine must be running and accept logins"),
} as const;

const schema = z.strictObject(localVmFields);

/** The validated networks, images and machines. */
export type LocalVms = z.output<typeof schema>;

/** A validated machine. */
export type LocalVm = LocalVms["machines"][string];

/** Finds invalid names, unknown networks and images, and addresses that are wrong or used twice. */
export function machineIssues({
  networks,
  images,
  machines,
}: LocalVms): { path: (string | number)[]; message: string }[] {
  const addresses = new Map<string, string>();
  return Object.entries(machines).flatMap(([own, { disks, nics }]) => [
    ...disks.flatMap(({ image: from }, index) =>
      from === undefined || from in images
        ? []
        : [{ path: ["machines", own, "disks", index, "image"], message: "a name in images" }],
    ),
    ...nics.flatMap(({ network: on, address, gateway }, index) => {
      const path = ["machines", own, "nics", index];
      const plain = address?.split("/")[0];
      const other = plain === undefined ? undefined : addresses.get(plain);
      if (plain !== undefined) addresses.set(plain, own);
      return [
        ...nicIssues({ address, gateway }).map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
        ...(on in networks ? [] : [{ path: [...path, "network"], message: "a name in networks" }]),
        ...(other === undefined
          ? []
          : [{ path: [...path, "address"], message: `an address that ${other} does not have` }]),
      ];
    }),
  ]);
}
