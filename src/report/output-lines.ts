import type { RunEvent } from "../core/events.ts";

type StepOutput = Extract<RunEvent, { type: "stepOutput" }>;

/** Longest line that is held back until its end comes. */
const longestLine = 64 * 1024;

/**
 * Makes whole lines of the pieces in which output arrives, so that nothing is printed, or searched for secrets, in
 * halves. An event without a last newline is an unfinished line.
 */
export class OutputLines {
  readonly #open = new Map<string, StepOutput>();

  /** The whole lines that are complete with this piece, as one event, or undefined. */
  add(event: StepOutput): StepOutput | undefined {
    const key = `${event.host} ${event.stream}`;
    const text = (this.#open.get(key)?.text ?? "") + event.text;
    const end = text.length > longestLine ? text.length : text.lastIndexOf("\n") + 1;
    if (end < text.length) this.#open.set(key, { ...event, text: text.slice(end) });
    else this.#open.delete(key);
    return end === 0 ? undefined : { ...event, text: text.slice(0, end) };
  }

  /** The unfinished lines of a host, or of all. */
  flush(host?: string): StepOutput[] {
    const open = [...this.#open].filter(([, event]) => host === undefined || event.host === host);
    for (const [key] of open) this.#open.delete(key);
    return open.map(([, event]) => event);
  }
}
