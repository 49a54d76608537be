import type { Address } from "../../core/host/transport.ts";
import { type MergedHost, valuesOf } from "../vars/precedence.ts";

/**
 * The arguments with which `ssh` logs in to a host as furrow does, for commands that a user copies. Contains what the
 * inventory and the command line set; `ssh` reads ssh_config itself. Empty for the controller. A tunnel through a cloud
 * is not included, because `ssh` has no option for it.
 */
export function sshWords(host: MergedHost, address: Address): string[] {
  if (address.transport === "local") return [];
  const own = valuesOf(host.connection);
  const isSet = (name: string): boolean => own[name] !== undefined;
  const to = (own["address"] as string | undefined) ?? host.name;
  return [
    ...(isSet("port") ? ["-p", String(address.port)] : []),
    ...(isSet("identityFile") ? address.identityFiles.flatMap((path) => ["-i", path]) : []),
    ...(isSet("proxyJump") && address.jump.length > 0 ? ["-J", address.jump.map(jumpText).join(",")] : []),
    ...(isSet("knownHostsFile") ? ["-o", `UserKnownHostsFile=${address.knownHostsFiles.join(" ")}`] : []),
    isSet("user") ? `${address.user}@${to}` : to,
  ];
}

function jumpText({ user, address, port }: Address): string {
  const name = address.includes(":") ? `[${address}]` : address;
  return `${user}@${name}${port === 22 ? "" : `:${port}`}`;
}
