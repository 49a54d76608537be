/** Properties of a cable; by default it is as wide as the machine allows. */
export interface CableKind {
  /** Round-trip time in milliseconds. */
  readonly rttMs: number;
  /** Bits per second in each direction. */
  readonly bitsPerSecond?: number | undefined;
  /**
   * TCP's slow start (RFC 5681, 3.1): a connection begins with ten segments per round trip, then doubles the number.
   */
  readonly slowStart?: boolean | undefined;
}

const segmentBytes = 1460;
/** Bytes that may be in flight on a new TCP connection: ten segments (RFC 6928). */
export const firstWindowBytes = 10 * segmentBytes;

/**
 * Milliseconds without a byte after which a sender starts over (RFC 5681, 4.1: its retransmission timeout, at least
 * 200).
 */
const idleMs = 200;

/** One direction of one connection: when data sent now has left the sender, and so when it arrives. */
export class Pace {
  readonly #kind: CableKind;
  /** When the cable has taken everything so far. */
  #free = 0;
  #window = firstWindowBytes;
  /** Data in flight: this many bytes are acknowledged at that time. */
  readonly #unacknowledged: { readonly bytes: number; readonly at: number }[] = [];
  #flying = 0;

  constructor(kind: CableKind) {
    this.#kind = kind;
  }

  /** When the last of `bytes` that are sent at `at` (milliseconds) arrives at the other end. */
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

  /** After a pause the sender knows nothing about the cable any more. */
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

  /** When this many more bytes may be in flight. Each acknowledged byte opens the window by one more. */
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
