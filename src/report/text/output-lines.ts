import { redactEnd, redactStart } from "../../core/secrets/cuts.ts";
import type { RunEvent } from "../../core/events.ts";

type StepOutput = Extract<RunEvent, { type: "stepOutput" }>;

/** Longest line that is held back until its end comes. */
const longestLine = 64 * 1024;

interface OpenLine {
  readonly event: StepOutput;
  /** The beginning of the line was passed on already. */
  readonly cut: boolean;
}

/**
 * Makes whole lines of the pieces in which output arrives, so that nothing is printed, or searched for secrets, in
 * halves. An event without a last newline is an unfinished line. Of a line that is too long to wait for, the parts of a
 * secret at the cut are replaced here.
 */
export class OutputLines {
  readonly #open = new Map<string, OpenLine>();

  /** The whole lines that are complete with this piece, as one event, or undefined. */
  add(event: StepOutput): StepOutput | undefined {
    const key = `${event.host} ${event.stream}`;
    const open = this.#open.get(key);
    const text = (open?.event.text ?? "") + event.text;
    const line = text.lastIndexOf("\n") + 1;
    const cut = text.length > longestLine && line < text.length;
    const end = cut ? text.length : line;
    if (cut || end < text.length) {
      this.#open.set(key, {
        event: { ...event, text: text.slice(end) },
        cut: cut || (end === 0 && open?.cut === true),
      });
    } else this.#open.delete(key);
    if (end === 0) return undefined;
    const begun = open?.cut === true ? redactStart(text.slice(0, end)) : text.slice(0, end);
    return { ...event, text: cut ? redactEnd(begun) : begun };
  }

  /** The unfinished lines of a host, or of all. */
  flush(host?: string): StepOutput[] {
    const open = [...this.#open].filter(([, { event }]) => host === undefined || event.host === host);
    for (const [key] of open) this.#open.delete(key);
    return open
      .filter(([, { event }]) => event.text !== "")
      .map(([, { event, cut }]) => (cut ? { ...event, text: redactStart(event.text) } : event));
  }
}
