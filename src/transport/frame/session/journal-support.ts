import type { FrameListener } from "../../../core/host/frame.ts";
import type { HostWord } from "../answers/host-word.ts";

/** What a session knows about journals on its host. */
export class JournalSupport {
  #cannotHide = false;
  #told = false;

  /** True if a frame that acts may use a journal. `reveals` is true if the frame's answers contain secret text. */
  takes(reveals: boolean): boolean {
    return !(reveals && this.#cannotHide);
  }

  /** Notes that the host has refused a journal. Warns the user once if nothing can be written on the host. */
  refused(word: Extract<HostWord, { record: "no-journal" | "gone" }>, listener: FrameListener): void {
    if (word.record === "no-journal" && word.why === "cannot hide") {
      this.#cannotHide = true;
      return;
    }
    if (this.#told) return;
    this.#told = true;
    const where = word.record === "gone" ? "the folder of its journal" : "/run, /tmp, /var/tmp or /dev/shm";
    listener.notice?.(
      `cannot write below ${where}, so it keeps no journal: if the connection is lost while steps run, the run ends there`,
    );
  }
}
