import { type PlayHost, shellQuote } from "../../src/authoring.ts";
import { libvirtConnection } from "../../src/facts/catalogue.ts";

/**
 * How to log in to a cluster's host: the arguments of `ssh`, which are empty if the host is the controller, and the
 * user.
 */
export interface Login {
  readonly ssh: string;
  readonly user: string;
}

/** The fields of a host that determine how the run logs in to it. */
export type LoginHost = Pick<PlayHost, "address" | "ssh" | "user">;

/** Returns how the run logs in to a host, for the commands that it prints. */
export function loginOf({ address, ssh = [address], user = "root" }: LoginHost): Login {
  return { ssh: ssh.map(shellQuote).join(" "), user };
}

/** Returns the command that forwards a local port to an address that the host can reach. */
export function forwardCommand({ ssh }: Login, local: number, to: string): string {
  return `ssh -N -L ${local}:${to} ${ssh || "localhost"}`;
}

/**
 * Returns the command that opens a node's serial console. Only root may use the virtual machines of libvirt's system
 * instance.
 */
export function consoleCommand({ ssh, user }: Login, node: string): string {
  const virsh = `${user === "root" ? "" : "sudo "}virsh -c ${libvirtConnection} console ${node}`;
  return ssh === "" ? virsh : `ssh -t ${ssh} ${virsh}`;
}
