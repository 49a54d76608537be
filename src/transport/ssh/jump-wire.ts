import type { Address } from "../../core/host/transport.ts";
import type { SshLink } from "./link.ts";
import type { Wire, Write } from "./wire.ts";

/** Opens a connection through a jump host. Throws E_UNREACHABLE. */
export async function openThrough(jump: SshLink, address: Address): Promise<Wire> {
  const stream = await jump.forward(address.address, address.port);
  let sent = 0;
  let received = 0;
  // Counting must not make the stream flow: data that arrives before ssh2 listens would be lost.
  stream.pause();
  stream.on("data", (data: Buffer) => (received += data.length));
  const write = stream.write.bind(stream) as Write;
  stream.write = (data: Buffer, ...rest: never[]) => {
    sent += data.length;
    return write(data, ...rest);
  };
  return { stream, sent: () => sent, received: () => received };
}
