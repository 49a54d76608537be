import type { FrameListener } from "../../core/frame.ts";
import type { HostWord } from "./records.ts";

/** What a session has learnt about journals on its host. */
export class JournalWays {
  #cannotHide = false;
  #told = false;

  /** Whether a frame that acts may be written into a journal; `reveals`: its answers hold the text of something secret. */
  takes(reveals: boolean): boolean {
    return !(reveals && this.#cannotHide);
  }

  /** Hears that the host has refused one, and says so once where that is a fault of the host. */
  refused({ why }: Extract<HostWord, { record: "no-journal" }>, listener: FrameListener): void {
    if (why === "cannot hide") {
      this.#cannotHide = true;
      return;
    }
    if (this.#told) return;
    this.#told = true;
    listener.notice?.(
      "nothing can be written below /run, /tmp, /var/tmp and /dev/shm of the host: it keeps no journal, and a connection that is lost while steps run ends the run there",
    );
  }
}
