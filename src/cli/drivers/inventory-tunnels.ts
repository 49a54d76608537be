import type { Duplex } from "node:stream";
import type { HostTunnels } from "../../core/host/host-tunnels.ts";
import type { Lease } from "../../transport/ssh/jump-pool.ts";
import type { AddressFor } from "./ssh.ts";

/**
 * Opens TCP connections through hosts in the inventory, which serve as jump hosts. The last connection to each host
 * stays open until `close`, because a login takes longer than most requests.
 */
export class InventoryTunnels implements HostTunnels {
  readonly #addressFor: AddressFor;
  readonly #streams = new Set<Duplex>();
  readonly #leases = new Map<string, Lease>();

  constructor(addressFor: AddressFor) {
    this.#addressFor = addressFor;
  }

  async open(
    host: string,
    { address, port }: { readonly address: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Duplex> {
    const [{ openWay }, { sshTransport }] = await Promise.all([
      import("../../transport/ssh/reach.ts"),
      import("../../transport/ssh/ssh.ts"),
    ]);
    const target = this.#addressFor({ name: `${address}:${port}`, address, port, transport: "ssh", proxyJump: host });
    const { wire, lease } = await openWay(sshTransport, target, signal);
    if (lease !== undefined) {
      this.#leases.get(host)?.release();
      this.#leases.set(host, lease);
    }
    const { stream } = wire;
    stream.on("error", () => undefined);
    this.#streams.add(stream);
    stream.once("close", () => this.#streams.delete(stream));
    return stream;
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
    for (const lease of this.#leases.values()) lease.release();
    this.#leases.clear();
  }
}
