import { FurrowError } from "../../core/errors.ts";
import type { Address, AttemptFailed, Transport } from "../../core/host/transport.ts";
import { untilConnected } from "../connect-retries.ts";
import { Gate } from "../ssh/gate.ts";
import type { Deadline } from "../ssh/deadline.ts";
import { masterArguments } from "./arguments.ts";
import { makePlace } from "./folder.ts";
import { withKeyFiles } from "./host-keys.ts";
import { OpensshLink } from "./link.ts";
import { startMaster } from "./master.ts";

/** Maximum number of connections opened at the same time: each needs a local process and a key exchange. */
const atOnce = 32;

/**
 * SSH over the system's `ssh`, for features that only `ssh` has: user and host certificates, GSSAPI, hardware keys,
 * ProxyCommand, all of ssh_config. One ssh process holds the connection to a host; each channel is another ssh process
 * that shares it.
 */
export class OpensshTransport implements Transport {
  readonly #gate = new Gate(atOnce);

  /**
   * Connects. Retries if the network fails, but never after a refusal by the host. Throws E_UNREACHABLE, E_AUTH,
   * E_HOST_KEY, E_FILE (ssh_config, known_hosts), E_INTERRUPTED.
   */
  async connect(address: Address, signal: AbortSignal, failed?: AttemptFailed): Promise<OpensshLink> {
    for (const hop of [...address.jump, address]) refuseSecrets(address, hop);
    return untilConnected(address, signal, (deadline, either) => this.#attempt(address, deadline, either), failed);
  }

  async #attempt(address: Address, deadline: Deadline, signal: AbortSignal): Promise<OpensshLink> {
    const leave = await deadline.exempt(this.#gate.enter(signal));
    const place = makePlace();
    try {
      const args = masterArguments(await withKeyFiles(address, place.write), place.socket, place.write);
      const master = await startMaster(address, args, signal);
      deadline.stop();
      return new OpensshLink(address.name, master, place);
    } catch (error) {
      place.remove();
      throw error;
    } finally {
      leave();
    }
  }
}

/** The transport for addresses with `transport: "openssh"`. */
export const opensshTransport: OpensshTransport = new OpensshTransport();

/** Refuses secrets: ssh reads them only from a terminal, or from a program whose answer other users could read. */
function refuseSecrets(address: Address, { password, passphrase }: Address): void {
  const secret = password === undefined ? (passphrase === undefined ? undefined : "passphrase") : "password";
  if (secret === undefined) return;
  throw new FurrowError("E_AUTH", {
    what: `the transport "openssh" cannot pass a ${secret} to ssh`,
    where: { host: address.name },
    hint:
      secret === "password"
        ? 'Use a key, a certificate or a ticket, or set transport: "ssh"'
        : 'Load the key into an agent with ssh-add, or set transport: "ssh"',
  });
}
