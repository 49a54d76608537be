import type { FrameItem, FrameListener, ItemResult } from "../../../core/host/frame.ts";
import type { Step, UploadStep, WriteFileStep } from "../../../core/host/step.ts";
import { type Batch, batchesOf, needsStaging } from "./batch.ts";

/** What is brought to the host before a part of a frame: one content, or several that travel together. */
export type Staged = {
  /** The item whose steps need it. */
  readonly item: number;
} & ({ readonly step: UploadStep | WriteFileStep } | { readonly batch: Batch });

/** A part of a frame, with the content to stage before it; items that belong to other parts are undefined. */
export interface FramePart {
  readonly items: (FrameItem | undefined)[];
  staged?: Staged;
}

/** Large contents travel beside the frame: it is cut before each step that needs one, since earlier steps may make its folder. */
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

/** Steps of one item may lie in several parts: their results follow one another. */
export function mergeResults(results: ItemResult[], answered: readonly ItemResult[]): void {
  answered.forEach((result, index) => {
    const before = results[index];
    if (before !== undefined || result.item !== "skipped") results[index] = joined(before, result);
  });
}

/** One item's result so far together with what a later part says of it. */
function joined(before: ItemResult | undefined, result: ItemResult): ItemResult {
  if (before === undefined) return result;
  if (before.item === "steps" && result.item === "steps") {
    const failed = result.failed && { ...result.failed, index: result.failed.index + before.results.length };
    return { item: "steps", results: [...before.results, ...result.results], ...(failed && { failed }) };
  }
  const saysNothing = result.item === "skipped" || (result.item === "read" && result.answers.length === 0);
  return saysNothing ? before : result;
}

/** The results of a part of which only one item counts. */
export function only(item: number, result: ItemResult): ItemResult[] {
  return Array.from({ length: item + 1 }, (_, at) => (at === item ? result : { item: "skipped" }));
}

/** True where a result ends its frame. */
export function stopped(result: ItemResult): boolean {
  return failed(result) || (result.item === "guard" && !result.held);
}

/** True where a step of the item failed. */
export function failed(result: ItemResult): boolean {
  return result.item === "steps" && result.failed !== undefined;
}

/** What a frame that was cut is to read although a guard has ended it in an earlier part. */
export function alwaysReads(items: readonly FrameItem[]): (FrameItem | undefined)[] | undefined {
  const left = items.map((item) => (item.item === "read" && item.always === true ? item : undefined));
  return left.some(Boolean) ? left : undefined;
}

/** Hears the items of one part: one whose steps lie in several parts is complete with the last of them. */
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
