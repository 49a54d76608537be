import type { FrameRecord } from "./records.ts";

/**
 * Distinguishes new records of a frame from repeated ones. A frame that is sent again repeats its answers, and a line
 * that resumes a journal repeats the output of the running step. Neither is progress.
 */
export class Progress {
  /** Number of records other than output since the frame was last sent, and the highest such number so far. */
  #records = 0;
  #most = 0;
  /** True once the host has reported, after a lost connection, that the frame had begun. */
  accepted = false;
  /** Bytes of the running step's output so far, by stream. */
  readonly #output = { stdout: 0, stderr: 0 };

  /** Call this when the frame is sent again: its answers restart from the beginning. */
  sentAgain(): void {
    this.#records = 0;
  }

  /** Takes a record. Returns true if the frame has progressed further than ever before. */
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
        // Waiting for another run has its own limit.
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
