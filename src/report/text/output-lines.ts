import { redactEnd, redactStart } from "../../core/secrets/cuts.ts";
import type { RunEvent } from "../../core/events.ts";

type StepOutput = Extract<RunEvent, { type: "stepOutput" }>;

/** The longest line that is held back until it is complete, in characters. */
const longestLine = 64 * 1024;

interface OpenLine {
  readonly event: StepOutput;
  /** True if the beginning of the line was already passed on. */
  readonly cut: boolean;
}

/**
 * Joins chunks of output into whole lines, because redaction and printing need whole lines. An event without a final
 * newline contains an unfinished line. A line too long to hold back is split; if the split falls inside a secret, both
 * parts are redacted here.
 */
export class OutputLines {
  readonly #open = new Map<string, OpenLine>();

  /** Adds a chunk of output; returns the lines that it completes as one event, or undefined. */
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

  /** Returns and forgets the unfinished lines of a host, or of all hosts. */
  flush(host?: string): StepOutput[] {
    const open = [...this.#open].filter(([, { event }]) => host === undefined || event.host === host);
    for (const [key] of open) this.#open.delete(key);
    return open
      .filter(([, { event }]) => event.text !== "")
      .map(([, { event, cut }]) => (cut ? { ...event, text: redactStart(event.text) } : event));
  }
}
