import { type Parvester, parvesterSchema } from "./parvester.ts";

const digest = (of: string): string => `sha256:${of.repeat(64)}`;

/** Vars with one machine, for tests of the roles; digests are invented. */
export const exampleVars = {
  version: "v1.28.11+rke2r1",
  tarballs: { amd64: digest("1") },
  token: "a token",
  kubevirt: { version: "v1.1.1", operator: digest("2") },
  cdi: { version: "v1.59.0", operator: digest("3") },
  localPath: { version: "v0.0.28", manifest: digest("4") },
  networks: { lan: { bridge: "br0", vlan: 101 } },
  images: { fedora: { source: "https://example.org/fedora-40-1.14.qcow2", size: "10Gi" } },
  machines: {
    vm1: {
      cores: 2,
      memory: "1Gi",
      disks: [{ image: "fedora", size: "10Gi" }, { size: "5Gi" }],
      nics: [{ network: "lan", address: "192.168.101.11/24", gateway: "192.168.101.1", nameservers: ["1.1.1.1"] }],
      sshKeys: ["ssh-ed25519 AAAA me"],
    },
  },
} as const;

/** The same vars, validated, with some of them replaced. */
export function parvesterExample(others: object = {}): Parvester {
  return parvesterSchema.parse({ ...exampleVars, ...others });
}
