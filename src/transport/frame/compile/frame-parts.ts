import type { FrameItem, FrameListener, ItemResult } from "../../../core/host/frame.ts";
import type { Step, UploadStep, WriteFileStep } from "../../../core/host/step.ts";
import { type Batch, batchesOf, needsStaging } from "./batch.ts";

/** The content that is sent to the host before a part of a frame: the content of one file or of a batch of files. */
export type Staged = {
  /** The item whose steps need the content. */
  readonly item: number;
} & ({ readonly step: UploadStep | WriteFileStep } | { readonly batch: Batch });

/** A part of a frame, with the content to stage before it. Items that belong to other parts are undefined. */
export interface FramePart {
  readonly items: (FrameItem | undefined)[];
  staged?: Staged;
}

/**
 * Splits a frame before each step that needs large content. Such content travels outside the frame, and earlier steps
 * may have to create its folder first.
 */
export function splitAtStaged(items: readonly FrameItem[]): FramePart[] {
  const parts: FramePart[] = [{ items: [] }];
  items.forEach((item, index) => {
    if (item.item !== "steps") {
      last(parts).items[index] = item;
      return;
    }
    let steps: Step[] = [];
    const batches = batchesOf(item.steps);
    item.steps.forEach((step, at) => {
      const batch = batches.find(({ first, entries }) => first <= at && at < first + entries.length);
      if (batch === undefined ? needsStaging(step) : batch.first === at) {
        if (steps.length > 0 || last(parts).items.length > 0) {
          if (steps.length > 0) last(parts).items[index] = { ...item, steps };
          parts.push({ items: [] });
          steps = [];
        }
        last(parts).staged = { item: index, ...(batch ? { batch } : { step: step as UploadStep }) };
      }
      steps.push(step);
    });
    last(parts).items[index] = { ...item, steps };
  });
  return parts.map((part) => ({ ...part, items: Array.from(part.items) }));
}

function last(parts: FramePart[]): FramePart {
  return parts[parts.length - 1] as FramePart;
}

/** Appends the results of a part. Steps of one item may be in several parts: their results are joined in order. */
export function mergeResults(results: ItemResult[], answered: readonly ItemResult[]): void {
  answered.forEach((result, index) => {
    const before = results[index];
    if (before !== undefined || result.item !== "skipped") results[index] = joined(before, result);
  });
}

/** Joins one item's result so far with the result of a later part. */
function joined(before: ItemResult | undefined, result: ItemResult): ItemResult {
  if (before === undefined) return result;
  if (before.item === "steps" && result.item === "steps") {
    const failed = result.failed && { ...result.failed, index: result.failed.index + before.results.length };
    return { item: "steps", results: [...before.results, ...result.results], ...(failed && { failed }) };
  }
  const saysNothing = result.item === "skipped" || (result.item === "read" && result.answers.length === 0);
  return saysNothing ? before : result;
}

/** A list of results in which only one item has a value. */
export function only(item: number, result: ItemResult): ItemResult[] {
  return Array.from({ length: item + 1 }, (_, at) => (at === item ? result : { item: "skipped" }));
}

/** True if a result ends its frame. */
export function stopped(result: ItemResult): boolean {
  return failed(result) || (result.item === "guard" && !result.held);
}

/** True if a step of the item failed. */
export function failed(result: ItemResult): boolean {
  return result.item === "steps" && result.failed !== undefined;
}

/** The items that a split frame still has to read after a guard has ended it in an earlier part. */
export function alwaysReads(items: readonly FrameItem[]): (FrameItem | undefined)[] | undefined {
  const left = items.map((item) => (item.item === "read" && item.always === true ? item : undefined));
  return left.some(Boolean) ? left : undefined;
}

/**
 * Creates a listener for the items of one part. An item that spans several parts is complete once the last of them is.
 */
export function wholeItems(
  all: readonly FrameItem[],
  part: readonly (FrameItem | undefined)[],
  before: readonly ItemResult[],
  listener: FrameListener,
): NonNullable<FrameListener["item"]> {
  return (index, result) => {
    if (part[index] === undefined) return;
    const whole = joined(before[index], result);
    const item = all[index];
    const open = item?.item === "steps" && whole.item === "steps" && whole.results.length < item.steps.length;
    if (!open || failed(whole)) listener.item?.(index, whole);
  };
}
