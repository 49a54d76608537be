import type { FurrowError } from "../../../core/errors.ts";
import type { FrameItem, StepsItem } from "../../../core/host/frame.ts";
import { okExits } from "../compile/compile-step.ts";
import { brokenProtocol } from "../protocol-error.ts";
import type { FrameRecord } from "./records.ts";

/**
 * Checks the order of the records in the answer to a frame. Each item is answered once and in order, nothing follows a
 * failed guard or step, and the end record comes last. This catches a host that repeats, omits or reorders records, so
 * that no unfinished work counts as done.
 */
export class FrameOrder {
  readonly #items: readonly FrameItem[];
  readonly #answered = new Set<number>();
  readonly #held = new Set<number>();
  readonly #begun = new Set<number>();
  /** Number of steps that have ended, by item. */
  readonly #steps = new Map<number, number>();
  #at = 0;
  #noRoom = false;
  #ended: "no" | "guard" | "step" = "no";

  constructor(items: readonly FrameItem[]) {
    this.#items = items;
  }

  /** True once the steps of a task have begun. */
  get begun(): boolean {
    return this.#begun.size > 0;
  }

  /** The current item: the last one that has begun and is not complete. */
  get at(): number {
    return this.#at;
  }

  /** Throws FurrowError E_PROTOCOL for a record that is out of order. */
  check(record: FrameRecord): void {
    switch (record.record) {
      case "lines":
        this.#lines(record.item);
        break;
      case "guard":
        this.#go(record.item, "guard");
        if (!this.#answered.has(record.item) || this.#held.has(record.item)) throw outOfOrder(record.record);
        this.#held.add(record.item);
        if (!record.held) this.#ended = "guard";
        break;
      case "task":
        this.#go(record.item, "steps");
        if (this.#begun.has(record.item) || this.#done(record.item) > 0) throw outOfOrder(record.record);
        this.#begun.add(record.item);
        break;
      case "output":
      case "no-room":
        this.#step(record);
        this.#noRoom ||= record.record === "no-room";
        break;
      case "step": {
        const item = this.#step(record);
        this.#steps.set(record.item, record.step + 1);
        if (this.#noRoom || !okExits(item.steps[record.step]).includes(record.exitCode)) this.#ended = "step";
        break;
      }
      case "stopped":
        this.#go(record.item, "steps");
        this.#ended = "step";
        break;
      case "end":
        this.#end();
        break;
      default:
        break;
    }
  }

  #lines(at: number): void {
    const item = this.#items[at];
    if (item?.item === "read" && item.always === true) {
      if (this.#ended === "step") throw outOfOrder("lines");
    } else this.#go(at, item?.item === "guard" ? "guard" : "read");
    if (this.#answered.has(at) || (item?.item === "read" && item.questions.length === 0)) throw outOfOrder("lines");
    this.#answered.add(at);
  }

  #step({ record, item, step }: { record: string; item: number; step: number }): StepsItem {
    const steps = this.#go(item, "steps") as StepsItem;
    if (step !== this.#done(item) || step >= steps.steps.length) throw outOfOrder(record);
    return steps;
  }

  /** Moves on to an item. All items before it must be complete. */
  #go(at: number, kind: FrameItem["item"]): FrameItem {
    const item = this.#items[at];
    if (item?.item !== kind || at < this.#at || this.#ended !== "no") throw outOfOrder(kind);
    for (; this.#at < at; this.#at += 1) if (!this.#complete(this.#at, false)) throw outOfOrder(kind);
    return item;
  }

  #end(): void {
    if (this.#ended === "step") return;
    const all = this.#items.every((item, at) =>
      this.#ended === "guard" && !isAlways(item) ? true : this.#complete(at, true),
    );
    if (!all) throw brokenProtocol("the host ended a frame before answering all of it");
  }

  #complete(at: number, always: boolean): boolean {
    const item = this.#items[at];
    switch (item?.item) {
      case "read":
        return this.#answered.has(at) || item.questions.length === 0 || (isAlways(item) && !always);
      case "guard":
        return this.#held.has(at);
      case "steps":
        return this.#done(at) === item.steps.length;
      case undefined:
        return true;
    }
  }

  #done(at: number): number {
    return this.#steps.get(at) ?? 0;
  }
}

function isAlways(item: FrameItem): boolean {
  return item.item === "read" && item.always === true;
}

function outOfOrder(record: string): FurrowError {
  return brokenProtocol(`the host sent an unexpected record (${record})`);
}
