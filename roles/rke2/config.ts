import type { NodeKind, Rke2 } from "./rke2.ts";

/** Files of RKE2 on a node (docs.rke2.io: "Configuration Options", "Server Configuration Reference"). */
export const places = {
  folder: "/etc/rancher/rke2",
  config: "/etc/rancher/rke2/config.yaml",
  more: "/etc/rancher/rke2/config.yaml.d",
  joins: "/etc/rancher/rke2/config.yaml.d/10-server.yaml",
  token: "/etc/rancher/rke2/token",
  kubeconfig: "/etc/rancher/rke2/rke2.yaml",
  data: "/var/lib/rancher/rke2",
  database: "/var/lib/rancher/rke2/server/db",
  serverAuthority: "/var/lib/rancher/rke2/server/tls/server-ca.crt",
  agentAuthority: "/var/lib/rancher/rke2/agent/server-ca.crt",
  images: "/var/lib/rancher/rke2/agent/images",
  prefix: "/opt/rke2",
  program: "/opt/rke2/bin/rke2",
  uninstall: "/opt/rke2/bin/rke2-uninstall.sh",
  downloads: "/var/lib/furrow-rke2",
  leaving: "/var/lib/furrow-rke2/leaving",
  snapshots: "/var/lib/rancher/rke2/server/db/snapshots",
} as const;

/** The port on which nodes join, and that of the Kubernetes API (docs.rke2.io: "Requirements"). */
export const ports = { join: 9345, api: 6443 } as const;

/** The name of the unit that runs a node. */
export const unitOf = (kind: NodeKind): string => `rke2-${kind}`;

/** Where a node stores the CA certificate of its cluster. */
export const authorityOf = (kind: NodeKind): string =>
  kind === "server" ? places.serverAuthority : places.agentAuthority;

/** A node of the cluster. */
export interface Member {
  readonly name: string;
  readonly kind: NodeKind;
  /** True for the server that creates the cluster. */
  readonly first: boolean;
}

/** The text of config.yaml. The token is in a separate file, so this text may be shown. */
export function configText(rke2: Rke2, { name, kind }: Member, server: string): string {
  const names = [...new Set([server, ...rke2.tlsSan])];
  return lines({
    "node-name": name,
    "token-file": places.token,
    ...(rke2.nodeIp !== undefined && { "node-ip": rke2.nodeIp }),
    ...(rke2.registry !== undefined && { "system-default-registry": rke2.registry }),
    ...(kind === "server" && {
      "write-kubeconfig-mode": "0600",
      "tls-san": names,
      // Multus must come first (docs.rke2.io: "Multus and IPAM plugins").
      cni: rke2.multus === "rke2" ? ["multus", "canal"] : ["canal"],
    }),
  });
}

/** The text of config.yaml.d/10-server.yaml, with which a node joins. The first server has none. */
export function joinText(server: string): string {
  return lines({ server: `https://${server}:${ports.join}` });
}

/** JSON strings are YAML strings, so a file mode stays a string. */
function lines(values: Readonly<Record<string, string | readonly string[]>>): string {
  return Object.entries(values)
    .map(([key, value]) =>
      typeof value === "string"
        ? `${key}: ${JSON.stringify(value)}\n`
        : `${key}:\n${value.map((one) => `  - ${JSON.stringify(one)}\n`).join("")}`,
    )
    .join("");
}
