import type { FrameItem, FrameListener } from "../../../core/host/frame.ts";
import { transferLine } from "../../../core/transfer-line.ts";
import { now } from "../../../core/world.ts";
import type { Content } from "./content.ts";

/** Called with the bytes transferred so far and the total, if it is known. */
export type Sent = (done: number, total?: number) => void;

/** Reports progress to a listener, as output of the item's task. */
export function sentAs(item: FrameItem | undefined, { output }: FrameListener): Sent {
  return (done, total) => {
    if (item?.item !== "steps") return;
    output({
      task: item.task,
      step: 0,
      stream: "stdout",
      text: `${transferLine({ done, ...(total !== undefined && { total }) })}\n`,
    });
  };
}

/** Milliseconds between two progress reports. */
const tellMs = 500;

/** Limits reports to about two a second; the first comes after half a second. */
export function paced(sent: Sent): Sent {
  let told = now();
  return (...transferred) => {
    if (now() - told < tellMs) return;
    told = now();
    sent(...transferred);
  };
}

/** Wraps content to count the bytes read from it, which are then sent immediately. */
export function counted(content: Content, sent: Sent): Content {
  let done = 0;
  const report = paced(sent);
  return {
    ...content,
    read: async (...part) => {
      const bytes = await content.read(...part);
      done = Math.min(content.size, done + bytes.length);
      report(done, content.size);
      return bytes;
    },
  };
}
