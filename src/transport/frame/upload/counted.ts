import type { FrameItem, FrameListener } from "../../../core/host/frame.ts";
import { transferLine } from "../../../core/transfer-line.ts";
import { now } from "../../../core/world.ts";
import type { Content } from "./content.ts";

/** Hears how many bytes of how many have been sent, a few times in a second at most. */
export type Sent = (done: number, total: number) => void;

/** Tells a listener how much was sent, as output of the task whose item this is. */
export function sentAs(item: FrameItem | undefined, { output }: FrameListener): Sent {
  return (done, total) => {
    if (item?.item !== "steps") return;
    output({ task: item.task, step: 0, stream: "stdout", text: `${transferLine({ done, total })}\n` });
  };
}

/** How often it is told how much was sent, in milliseconds. */
const tellMs = 500;

/** The same content, which tells what was read of it: that is sent at once. */
export function counted(content: Content, sent: Sent): Content {
  let done = 0;
  let told = now();
  return {
    ...content,
    read: async (...part) => {
      const bytes = await content.read(...part);
      done = Math.min(content.size, done + bytes.length);
      if (now() - told >= tellMs) {
        told = now();
        sent(done, content.size);
      }
      return bytes;
    },
  };
}
