import type { Duplex } from "node:stream";
import type { Client } from "ssh2";
import { fillRandom } from "../../../core/world.ts";

/** The part of ssh2 that builds AES-GCM packets. */
interface PacketMaker {
  /** `aes-128-gcm`. Packets for other ciphers are built differently. */
  readonly _encSSLName: string;
  /** Allocates a packet: its header, the payload (written by the caller) and the padding. */
  allocPacket(this: void, payloadLength: number): Buffer;
  /** Sends a part of an encrypted packet. */
  _onWrite(this: void, data: Buffer): void;
}

/**
 * Size of the reused buffer in bytes. The largest usual packet fits into it: OpenSSH takes 32 KiB of data at a time.
 */
const roomBytes = 36 * 1024;
/** Random bytes for padding (RFC 4253, 6), fetched for many packets at a time. */
const random = Buffer.allocUnsafeSlow(4096);
let randomTaken = random.length;

/** Memory blocks of at least this many bytes are released immediately. */
const largeBytes = 16 * 1024;
/** Size in bytes of the fields that give the length of a packet and of its padding (RFC 4253, 6). */
const headBytes = 5;
const blockBytes = 16;

/**
 * Makes a client that has begun to connect send packets without producing garbage. ssh2 allocates memory twice for each
 * packet. For a file of 320 MiB, that makes 20,000 allocations of 32 KiB, and V8 collects garbage after every 40 MB.
 * Here one buffer is reused for all packets, and encrypted data is released once the kernel has it. The patch runs
 * after each key exchange and changes nothing if another cipher was agreed on.
 */
export function makeLeanPackets(client: Client, stream: Duplex): void {
  client.on("handshake", () => {
    const { _cipher: maker } =
      (client as unknown as { readonly _protocol?: { readonly _cipher?: Partial<PacketMaker> } })._protocol ?? {};
    if (isPacketMaker(maker)) makeLean(maker, stream);
  });
}

function isPacketMaker(maker: Partial<PacketMaker> | undefined): maker is PacketMaker {
  return (
    /^aes-(128|256)-gcm$/.test(maker?._encSSLName ?? "") &&
    typeof maker?.allocPacket === "function" &&
    typeof maker._onWrite === "function"
  );
}

function makeLean(maker: PacketMaker, stream: Duplex): void {
  // One buffer per connection: a packet for a jump host is built while a packet for the host behind it is half sent.
  const room = Buffer.allocUnsafeSlow(roomBytes);
  maker.allocPacket = (payloadLength) => {
    const rest = (1 + payloadLength) % blockBytes;
    const padding = rest > blockBytes - 4 ? 2 * blockBytes - rest : blockBytes - rest;
    const length = headBytes + payloadLength + padding;
    // ssh2 sends each packet before it builds the next one.
    const packet = length <= room.length ? room.subarray(0, length) : Buffer.allocUnsafe(length);
    packet.writeUInt32BE(length - 4, 0);
    packet[4] = padding;
    pad(packet.subarray(headBytes + payloadLength));
    return packet;
  };
  const send = maker._onWrite;
  maker._onWrite = (data) => {
    const isOwn = data.byteLength === data.buffer.byteLength;
    if (data.buffer === room.buffer) send(Buffer.from(data));
    else if (!isOwn || data.length < largeBytes) send(data);
    else if (stream.writable) stream.write(data, () => void (data.buffer as ArrayBuffer).transfer(0));
  };
}

function pad(padding: Buffer): void {
  if (randomTaken + padding.length > random.length) {
    fillRandom(random);
    randomTaken = 0;
  }
  random.copy(padding, 0, randomTaken);
  randomTaken += padding.length;
}
