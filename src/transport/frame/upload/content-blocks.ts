import type { Content } from "./content.ts";
import type { Lane } from "./upload-shell.ts";

/** Bytes handed to the link at a time. */
const chunkBytes = 1024 * 1024;

/** A content as blocks by number: which are on the host, and which are next to be sent. */
export class Blocks {
  /** Numbers of blocks that are on the host. */
  readonly arrived: Set<number>;
  readonly count: number;
  readonly #content: Content;
  readonly #size: number;
  #next = 0;
  #front = 0;

  constructor(content: Content, size: number, arrived: readonly number[]) {
    this.#content = content;
    this.#size = size;
    this.count = Math.ceil(content.size / size);
    this.arrived = new Set(arrived);
  }

  /** Takes the next block that nobody sends yet; undefined where there is none. */
  take(): number | undefined {
    while (this.#next < this.count && this.arrived.has(this.#next)) this.#next += 1;
    return this.#next < this.count ? this.#next++ : undefined;
  }

  /** Goes on to the first block that is not on the host; the lines by which the keeper hashes those before it. */
  advance(): string {
    let lines = "";
    for (; this.arrived.has(this.#front); this.#front += 1) lines += this.#line("h", this.#front);
    return lines;
  }

  /** Notes a block that the keeper took itself: it was hashed as it came. */
  pass(number: number): void {
    this.arrived.add(number);
    this.#front = number + 1;
  }

  /** Sends one block; false where the lane's shell ended before it had read all of it. */
  async send(lane: Lane, number: number, buffer: Buffer): Promise<boolean> {
    if (!(await lane.write(this.#line("w", number)))) return false;
    const end = Math.min((number + 1) * this.#size, this.#content.size);
    for (let at = number * this.#size; at < end;) {
      const bytes = await this.#content.read(buffer, at, Math.min(buffer.length, end - at));
      at += bytes.length;
      if (!(await lane.write(bytes))) return false;
    }
    return true;
  }

  #line(word: "h" | "w", number: number): string {
    const bytes = Math.min(this.#size, this.#content.size - number * this.#size);
    return `${word} ${number} ${bytes}\n`;
  }
}

/** The keeper takes, in order, what is not there yet, and hashes what is. It stops where the keeper ends. */
export async function sendAlone(keeper: Lane, blocks: Blocks): Promise<void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    const lines = blocks.advance();
    if (lines !== "") await keeper.write(lines);
    const number = blocks.take();
    if (number === undefined) return;
    if (!(await blocks.send(keeper, number, buffer))) return;
    // Its hash was made with it.
    blocks.pass(number);
  }
}

/**
 * Sends on several lanes what is not there yet, while the keeper hashes in order. A lane that does not open leaves its
 * share to the others, and in the end to the keeper. Throws what `failed` makes of a lane that ended early.
 */
export async function sendAbreast(
  keeper: Lane,
  lanes: readonly Promise<Lane>[],
  inode: string,
  blocks: Blocks,
  failed: (lane: Lane) => Error,
): Promise<void> {
  let hashing: Promise<unknown> = Promise.resolve();
  const hash = (lines: string): void => {
    if (lines === "") return;
    hashing = hashing.then(() => keeper.write(lines));
    // Who waits for it may be gone by then.
    hashing.catch(() => {});
  };
  hash(blocks.advance());
  const use = async (opening: Promise<Lane>): Promise<void> => {
    const lane = await opening.catch(() => undefined);
    if (lane === undefined || !(await isReady(lane, inode))) return;
    let sent = 0;
    const sending = (async () => {
      const buffer = Buffer.allocUnsafe(chunkBytes);
      for (let number = blocks.take(); number !== undefined; number = blocks.take()) {
        sent += 1;
        if (!(await blocks.send(lane, number, buffer))) return;
      }
      await lane.write("end\n");
    })();
    let done = 0;
    const noting = (async () => {
      for (let answer = await lane.next(); answer !== undefined; answer = await lane.next()) {
        done += 1;
        blocks.arrived.add(Number(answer[1]));
        hash(blocks.advance());
      }
    })();
    await Promise.all([sending, noting]);
    if (done < sent) throw failed(lane);
  };
  await Promise.all(lanes.map(use));
  await hashing;
}

async function isReady(lane: Lane, inode: string): Promise<boolean> {
  // Only then: what comes with the script may stay in the shell's own buffer.
  const answer = await lane.next().catch(() => undefined);
  return answer?.[0] === "ready" && lane.write(`${inode}\n`);
}
