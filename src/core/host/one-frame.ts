import { FurrowError } from "../errors.ts";
import { factId } from "../facts/fact.ts";
import type { Frame, FrameItem } from "./frame.ts";

/** Enforces the rule that a connection carries one frame at a time. */
export class OneFrame {
  readonly #host: string;
  #open: Frame | undefined;

  /** `host`: the host's name, for errors. */
  constructor(host: string) {
    this.#host = host;
  }

  /**
   * Records that a frame was sent, and returns a function that records its end. Throws FurrowError E_BUG while another
   * frame is open.
   */
  begin(frame: Frame): () => void {
    if (this.#open !== undefined) {
      throw new FurrowError("E_BUG", {
        what: "furrow tried to send a second frame while one was open",
        where: { host: this.#host },
        details: [`open: ${contentOf(this.#open)}`, `second: ${contentOf(frame)}`],
        hint: "Report this bug, with the playbook",
      });
    }
    this.#open = frame;
    return () => {
      this.#open = undefined;
    };
  }
}

/** The items of a frame on one line, for messages. */
function contentOf({ items }: Frame): string {
  const parts = items.map(partOf).filter((part) => part !== "");
  return parts.length > 8 ? [...parts.slice(0, 8), `${parts.length - 8} more`].join(", ") : parts.join(", ");
}

function partOf(item: FrameItem): string {
  if (item.item === "steps") return `steps of ${item.title ?? item.task}`;
  const questions = item.item === "read" ? item.questions : item.expected.map(({ question }) => question);
  const [first] = questions;
  if (first === undefined) return "";
  const more = questions.length > 1 ? ` and ${questions.length - 1} more` : "";
  return `${item.item} of ${factId(first)}${more}`;
}
