import type { FrameListener } from "../../../core/host/frame.ts";
import type { HostWord } from "../answers/host-word.ts";

/** What a session has learnt about journals on its host. */
export class JournalWays {
  #cannotHide = false;
  #told = false;

  /** Whether a frame that acts may be written into a journal; `reveals`: its answers hold the text of something secret. */
  takes(reveals: boolean): boolean {
    return !(reveals && this.#cannotHide);
  }

  /** Hears that the host has refused one, and says so once where that is a fault of the host. */
  refused(word: Extract<HostWord, { record: "no-journal" | "gone" }>, listener: FrameListener): void {
    if (word.record === "no-journal" && word.why === "cannot hide") {
      this.#cannotHide = true;
      return;
    }
    if (this.#told) return;
    this.#told = true;
    const where =
      word.record === "gone" ? "the folder of its journal" : "/run, /tmp, /var/tmp and /dev/shm of the host";
    listener.notice?.(
      `nothing can be written below ${where}: it keeps no journal, and a connection that is lost while steps run ends the run there`,
    );
  }
}
