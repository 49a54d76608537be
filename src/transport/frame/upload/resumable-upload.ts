import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { UploadStep, WriteFileStep } from "../../../core/host/step.ts";
import type { Channel } from "../../../core/host/transport.ts";
import { Blocks, sendAbreast, sendAlone } from "./content-blocks.ts";
import { changedMeanwhile, type Content, openContent } from "./content.ts";
import { counted, type Sent } from "./counted.ts";
import { Lane } from "./upload-shell.ts";
import { defaultStallSeconds, longSilence } from "../answers/stall.ts";
import { asUser, blockSize, keeperScript, laneScript } from "./stage-script.ts";
import { now, randomBytes } from "../../../core/world.ts";

/** Opens a shell with the session's privilege on its own channel. */
export type OpenShell = () => Promise<Channel>;

/** The parameters for splitting and sending content. */
export interface StageShape {
  /**
   * For content of up to this many bytes, the keeper receives all blocks itself. That needs only one channel and saves
   * a round trip.
   */
  readonly aloneBytes: number;
  /** The block size for content of `size` bytes: a multiple of 64 KiB. */
  readonly blockBytes: (size: number) => number;
  /** A link is long if the keeper's first answer, about two round trips, takes at least this many milliseconds. */
  readonly longMs: number;
  /** Number of lanes in addition to the keeper: how many on every link, and how many more on a long one. */
  readonly lanes: { readonly always: number; readonly more: number };
}

/**
 * sshd allows 2 MiB in flight per channel. On a long link several channels multiply the throughput; on a short link,
 * more than two only add cost. sshd allows ten channels by default (MaxSessions), and the session uses some of them for
 * other purposes.
 */
const usualShape: StageShape = {
  aloneBytes: 2 * 1024 * 1024,
  blockBytes: blockSize,
  longMs: 60,
  lanes: { always: 2, more: 4 },
};

/**
 * Sends the content of a step to a file next to its target and checks its SHA-256 there. The frame then only renames
 * that file. Blocks that arrived in an earlier attempt are not sent again. Throws FurrowError E_STEP, E_DISK_FULL,
 * E_FILE, E_INTERRUPTED, E_PROTOCOL, or E_UNREACHABLE, after which this function may be called again on a new link.
 */
export async function stageContent(
  open: OpenShell,
  step: UploadStep | WriteFileStep,
  signal: AbortSignal,
  shape: StageShape = usualShape,
  stallMs: number = defaultStallSeconds * longSilence * 1000,
  sent: Sent = () => {},
): Promise<void> {
  const content = counted(await openContent(step), sent);
  try {
    const first = await new Transfer(open, step, content, { ...shape, stallMs }).run(signal);
    if (first.verified) return;
    // A crash of the host may have damaged a block from an earlier attempt.
    const last = first.resumed ? await new Transfer(open, step, content, { ...shape, stallMs }).run(signal) : first;
    if (!last.verified) throw wrongHash(step, content.sha256, last.found);
  } finally {
    await content.close();
  }
}

interface Transferred {
  readonly verified: boolean;
  /** True if some blocks were already on the host. */
  readonly resumed: boolean;
  /** The SHA-256 of the staged content, if it differs from the expected one. */
  readonly found: string;
}

/** One attempt to stage content next to its target. */
class Transfer {
  readonly #open: OpenShell;
  readonly #step: UploadStep | WriteFileStep;
  readonly #content: Content;
  readonly #shape: StageShape & { readonly stallMs: number };
  readonly #nonce = `f${randomBytes(8).toString("hex")}`;
  readonly #lanes = new Set<Lane>();
  #over = false;

  constructor(
    open: OpenShell,
    step: UploadStep | WriteFileStep,
    content: Content,
    shape: StageShape & { stallMs: number },
  ) {
    this.#open = open;
    this.#step = step;
    this.#content = content;
    this.#shape = shape;
  }

  async run(signal: AbortSignal): Promise<Transferred> {
    const stop = (): void => {
      this.#over = true;
      for (const lane of this.#lanes) lane.destroy();
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      signal.throwIfAborted();
      return await this.#converse();
    } catch (error) {
      if (!signal.aborted) throw error;
      throw isFurrowError(signal.reason)
        ? signal.reason
        : new FurrowError("E_INTERRUPTED", { what: `sending the content of ${this.#step.path} was interrupted` });
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  }

  async #converse(): Promise<Transferred> {
    const { aloneBytes, blockBytes, longMs, lanes } = this.#shape;
    const { size } = this.#content;
    const block = blockBytes(size);
    const started = now();
    const keeping = this.#start(keeperScript(this.#step.path, block, this.#nonce));
    const others: Promise<Lane>[] = [];
    const openLanes = (count: number): void => {
      const useful = Math.min(others.length + count, Math.ceil(size / block));
      while (others.length < useful) {
        const lane = this.#start(laneScript(this.#step.path, block, this.#nonce));
        // If the host allows fewer channels, the upload still works, but more slowly.
        lane.catch(() => {});
        others.push(lane);
      }
    };
    if (size > aloneBytes) openLanes(lanes.always);
    const keeper = await keeping;
    const state = await keeper.next();
    if (state === undefined) throw notSent(this.#step, keeper);
    const [, inode = "", , , ...notes] = state;
    if (notes.includes("verified")) return { verified: true, resumed: true, found: "" };
    if (size > aloneBytes && now() - started >= longMs) openLanes(lanes.more);
    const blocks = new Blocks(this.#content, block, notes.map(Number));
    const resumed = blocks.arrived.size > 0;
    if (others.length > 0) await sendAbreast(keeper, others, inode, blocks, (lane) => notSent(this.#step, lane));
    await sendAlone(keeper, blocks);
    await keeper.write("end\njudge\n");
    const [verdict, found = ""] = (await keeper.next()) ?? [];
    if (verdict === undefined) throw notSent(this.#step, keeper);
    return { verified: verdict === "verified", resumed, found };
  }

  async #start(script: string): Promise<Lane> {
    const lane = new Lane(await this.#open(), this.#nonce, this.#shape.stallMs);
    if (this.#over) lane.destroy();
    this.#lanes.add(lane);
    await lane.write(asUser(script, this.#content, this.#step.user));
    return lane;
  }
}

function notSent({ path }: UploadStep | WriteFileStep, { said, code }: Lane): FurrowError {
  const full = /no space left|quota exceeded/i.test(said);
  return new FurrowError(full ? "E_DISK_FULL" : "E_STEP", {
    what: `the content of ${path} cannot be sent to the host`,
    current: said || `exit code ${code}`,
    hint: full ? "Free space on the host, then rerun" : "Check that the folder exists and is writable",
  });
}

function wrongHash(step: UploadStep | WriteFileStep, expected: string, current: string): FurrowError {
  if (step.step === "upload") return changedMeanwhile(step.from, `SHA-256 ${current} arrived instead of ${expected}`);
  return new FurrowError("E_STEP", {
    what: `the content of ${step.path} arrived with a different SHA-256`,
    current,
    expected,
  });
}
