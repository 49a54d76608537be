import type { Duplex } from "node:stream";
import type { Client } from "ssh2";
import { fillRandom } from "../../../core/world.ts";

/** Where ssh2 makes packets of AES-GCM. */
interface PacketMaker {
  /** `aes-128-gcm`; other ciphers make their packets otherwise. */
  readonly _encSSLName: string;
  /** Room for a packet: its head, the payload, which the caller writes, and the padding. */
  allocPacket(this: void, payloadLength: number): Buffer;
  /** Sends a part of an enciphered packet. */
  _onWrite(this: void, data: Buffer): void;
}

/** Bytes of the largest packet that is made in the room kept for it: OpenSSH takes 32 KiB of data at a time. */
const roomBytes = 36 * 1024;
/** Random bytes for padding (RFC 4253, 6), fetched for many packets at a time. */
const random = Buffer.allocUnsafeSlow(4096);
let randomTaken = random.length;

/** From this many bytes on memory is given back at once. */
const largeBytes = 16 * 1024;
/** A packet's length and that of its padding (RFC 4253, 6). */
const headBytes = 5;
const blockBytes = 16;

/**
 * Makes a client that has begun to connect leave no garbage when it sends: ssh2 takes new memory twice for each packet,
 * 20,000 times 32 KiB for a file of 320 MiB, and every 40 MB of it have V8 look through all that is alive. Here packets are
 * made in one place, and what is enciphered is given back once the kernel has it. Done after each key
 * exchange; where it agreed on another cipher nothing is changed.
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
  // One for each connection: while a jump host's makes a packet, that of the host behind it is half sent.
  const room = Buffer.allocUnsafeSlow(roomBytes);
  maker.allocPacket = (payloadLength) => {
    const rest = (1 + payloadLength) % blockBytes;
    const padding = rest > blockBytes - 4 ? 2 * blockBytes - rest : blockBytes - rest;
    const length = headBytes + payloadLength + padding;
    // ssh2 sends each packet before it makes the next.
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
