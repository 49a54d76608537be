import type { FrameRecord } from "./records.ts";

/**
 * Tells what is new of a frame from what comes again. A frame that is sent again repeats its answers, and a line that
 * takes a journal up repeats what the running step has printed: neither brings the frame further.
 */
export class Progress {
  /** Records but output since the frame was sent last, and the most there ever were. */
  #records = 0;
  #most = 0;
  /** The host has said after a loss that the frame had begun. */
  accepted = false;
  /** How far the output of the running step has come, by stream. */
  readonly #output = { stdout: 0, stderr: 0 };

  /** The frame is sent again: its answers begin from the start. */
  sentAgain(): void {
    this.#records = 0;
  }

  /** Takes a record; true where it brings the frame further than it ever was. */
  take(record: FrameRecord): boolean {
    switch (record.record) {
      case "output":
        return this.#records >= this.#most && this.#longer(record);
      case "asked": {
        const first = record.state === "begun" && !this.accepted;
        this.accepted ||= first;
        return first;
      }
      case "lines":
      case "guard":
      case "no-room":
      case "step":
      case "task":
      case "end":
      case "stopped":
        return this.#counted();
      case "held":
        // How long another run is waited for has its own limit.
        return true;
      default:
        return false;
    }
  }

  #counted(): boolean {
    this.#records += 1;
    if (this.#records <= this.#most) return false;
    this.#most = this.#records;
    this.#output.stdout = 0;
    this.#output.stderr = 0;
    return true;
  }

  #longer({ stream, offset, data }: Extract<FrameRecord, { record: "output" }>): boolean {
    const end = (offset ?? 0) + data.length;
    if (end <= this.#output[stream]) return false;
    this.#output[stream] = end;
    return true;
  }
}
