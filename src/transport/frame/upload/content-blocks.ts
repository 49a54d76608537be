import type { Content } from "./content.ts";
import type { Lane } from "./upload-shell.ts";

/** Number of bytes handed to the link at a time. */
const chunkBytes = 1024 * 1024;

/** The numbered blocks of staged content. Keeps track of which blocks are on the host and which to send next. */
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

  /** Takes the next block that no lane is sending yet. Undefined if no block is left. */
  take(): number | undefined {
    while (this.#next < this.count && this.arrived.has(this.#next)) this.#next += 1;
    return this.#next < this.count ? this.#next++ : undefined;
  }

  /**
   * Moves on to the first block that is not on the host yet. Returns the lines that make the keeper hash the blocks
   * before it.
   */
  advance(): string {
    let lines = "";
    for (; this.arrived.has(this.#front); this.#front += 1) lines += this.#line("h", this.#front);
    return lines;
  }

  /** Notes a block that the keeper received itself: it hashed the block on arrival. */
  pass(number: number): void {
    this.arrived.add(number);
    this.#front = number + 1;
  }

  /** Sends one block. Returns false if the lane's shell ended before it had read the whole block. */
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

/** Sends the missing blocks to the keeper in order, and has it hash the others. Stops if the keeper ends. */
export async function sendAlone(keeper: Lane, blocks: Blocks): Promise<void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    const lines = blocks.advance();
    if (lines !== "") await keeper.write(lines);
    const number = blocks.take();
    if (number === undefined) return;
    if (!(await blocks.send(keeper, number, buffer))) return;
    // The keeper has already hashed this block.
    blocks.pass(number);
  }
}

/**
 * Sends the missing blocks on several lanes while the keeper hashes all blocks in order. If a lane does not open, the
 * other lanes send its share; if none is left, the keeper does. Throws the error that `failed` makes for a lane that
 * ended early.
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
    // By the time this fails, the caller may no longer be waiting for it.
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
  // Wait for the answer: bytes sent along with the script may get stuck in the shell's own buffer.
  const answer = await lane.next().catch(() => undefined);
  return answer?.[0] === "ready" && lane.write(`${inode}\n`);
}
