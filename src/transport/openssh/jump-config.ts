import type { Address } from "../../core/host/transport.ts";

/** An ssh_config for the path to a host, and the names it gives to the jump hosts, nearest first. */
export interface JumpConfig {
  readonly names: readonly string[];
  readonly text: string;
}

/**
 * Writes the inventory's settings for each jump host under a unique name, then includes the user's and the system's
 * ssh_config. On the command line, `ssh -J` accepts only the name, user and port of a jump host.
 */
export function jumpConfig(jump: readonly Address[]): JumpConfig {
  const names = jump.map((_, index) => `furrow-jump-${index + 1}`);
  const hosts = jump.map((hop, index) => [`Host ${names[index]}`, ...lines(hop).map((line) => `  ${line}`)].join("\n"));
  const others = ["Match all", "Include ~/.ssh/config", "Include /etc/ssh/ssh_config"];
  return { names, text: `${[...hosts, ...others].join("\n")}\n` };
}

function lines(hop: Address): string[] {
  const { identityFiles, certificateFiles = [], knownHostsFiles, hostKeyPolicy, hostKeyAlias, revokedKeysFile } = hop;
  const files = (paths: readonly string[]): string => paths.map((path) => quoted(unexpanded(path))).join(" ");
  const isOff = hostKeyPolicy === "off" || knownHostsFiles.length === 0;
  // ssh adds new keys to the first of the user's files. If the user has no such file, ssh must not add new keys to the
  // system's files.
  const keepsNone = hostKeyPolicy === "accept-new" && hop.newHostKeysFile === undefined;
  return [
    `HostName ${quoted(unexpanded(hop.address))}`,
    `Port ${hop.port}`,
    `User ${quoted(hop.user)}`,
    ...(identityFiles.length === 0 ? ["none"] : identityFiles.map((path) => files([path]))).map(
      (path) => `IdentityFile ${path}`,
    ),
    ...certificateFiles.map((path) => `CertificateFile ${files([path])}`),
    `IdentitiesOnly ${hop.identitiesOnly ? "yes" : "no"}`,
    `IdentityAgent ${hop.agent === undefined ? "none" : files([hop.agent])}`,
    `StrictHostKeyChecking ${hostKeyPolicy === "strict" ? "yes" : hostKeyPolicy === "off" ? "no" : "accept-new"}`,
    `UserKnownHostsFile ${isOff || keepsNone ? "/dev/null" : files(knownHostsFiles)}`,
    `GlobalKnownHostsFile ${keepsNone && !isOff ? files(knownHostsFiles) : "/dev/null"}`,
    ...(revokedKeysFile === undefined ? [] : [`RevokedHostKeys ${files([revokedKeysFile])}`]),
    ...(hostKeyAlias === undefined ? [] : [`HostKeyAlias ${quoted(hostKeyAlias)}`]),
    `ProxyCommand ${hop.proxyCommand ?? "none"}`,
    `ServerAliveInterval ${Math.ceil(hop.keepaliveSeconds)}`,
    "BatchMode yes",
    "ControlPath none",
  ];
}

/** Quotes a value as one word of ssh_config. */
export function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** Escapes a path or name so that ssh expands nothing in it. */
export function unexpanded(value: string): string {
  return value.replaceAll("%", "%%");
}
