/** Properties of a cable; by default only the machine limits its bandwidth. */
export interface CableKind {
  /** Round-trip time in milliseconds. */
  readonly rttMs: number;
  /** Bits per second in each direction. */
  readonly bitsPerSecond?: number | undefined;
  /**
   * Models TCP's slow start (RFC 5681, 3.1): a connection begins with ten segments per round trip and doubles that
   * number after each round trip.
   */
  readonly slowStart?: boolean | undefined;
}

const segmentBytes = 1460;
/** Bytes that may be in flight on a new TCP connection: ten segments (RFC 6928). */
export const firstWindowBytes = 10 * segmentBytes;

/**
 * Milliseconds of silence after which a sender starts over (RFC 5681, 4.1: its retransmission timeout, at least 200).
 */
const idleMs = 200;

/**
 * One direction of one connection. Computes when data sent now will have left the sender, and therefore when it
 * arrives.
 */
export class Pace {
  readonly #kind: CableKind;
  /** The time at which everything sent so far has entered the cable. */
  #free = 0;
  #window = firstWindowBytes;
  /** Data in flight: the bytes of each entry, and the time at which they are acknowledged. */
  readonly #unacknowledged: { readonly bytes: number; readonly at: number }[] = [];
  #flying = 0;

  constructor(kind: CableKind) {
    this.#kind = kind;
  }

  /**
   * The time at which the last of `bytes` arrives at the other end if they are sent at the time `at` (in milliseconds).
   */
  arrival(bytes: number, at: number): number {
    const { rttMs } = this.#kind;
    let left = bytes;
    let sent = Math.max(at, this.#free);
    this.#begin(sent);
    do {
      const part = this.#kind.slowStart === true ? Math.min(left, segmentBytes) : left;
      sent = Math.max(sent, this.#whenOpen(part, sent));
      sent += this.#millisecondsFor(part);
      this.#unacknowledged.push({ bytes: part, at: sent + rttMs });
      this.#flying += part;
      left -= part;
    } while (left > 0);
    this.#free = sent;
    return sent + rttMs / 2;
  }

  /** After a pause, the sender starts over with the initial window. */
  #begin(at: number): void {
    if (at <= (this.#unacknowledged.at(-1)?.at ?? 0) + idleMs) return;
    this.#window = firstWindowBytes;
    this.#unacknowledged.length = 0;
    this.#flying = 0;
  }

  #millisecondsFor(bytes: number): number {
    const { bitsPerSecond } = this.#kind;
    return bitsPerSecond === undefined ? 0 : (bytes * 8000) / bitsPerSecond;
  }

  /** The time at which this many more bytes may be in flight. Each acknowledged byte extends the window by one byte. */
  #whenOpen(bytes: number, from: number): number {
    let at = from;
    for (let next = this.#unacknowledged[0]; next !== undefined; next = this.#unacknowledged[0]) {
      const full = this.#kind.slowStart === true && this.#flying + bytes > this.#window;
      if (next.at > at && !full) break;
      at = Math.max(at, next.at);
      this.#unacknowledged.shift();
      this.#flying -= next.bytes;
      this.#window += next.bytes;
    }
    return at;
  }
}
