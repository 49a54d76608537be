import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";

/** Where the process says that nothing more can happen in it. */
interface EndOfWork {
  once(event: "beforeExit", listener: () => void): unknown;
  off(event: "beforeExit", listener: () => void): unknown;
}

/**
 * Holds a run to its end: an exit code may be chosen only once its last event, `runFinished`, has come. Hears every event of
 * the run, so that it can say what was awaited.
 */
export class RunEnd {
  readonly #at = new Map<string, string>();
  #finished = false;

  /** Takes an event, in the order they happen. */
  take(event: RunEvent): void {
    switch (event.type) {
      case "playStarted":
        for (const host of event.hosts) this.#at.set(host, "its first task");
        break;
      case "taskStarted":
        this.#at.set(event.host, event.task.title);
        break;
      case "taskFinished":
        this.#at.set(event.host, `what follows ${event.task.title}`);
        break;
      case "hostStopped":
        this.#at.delete(event.host);
        break;
      case "runFinished":
        this.#finished = true;
        break;
      default:
    }
  }

  /**
   * Waits for a run. Throws FurrowError E_BUG where it ends without `runFinished`, or where the process has nothing left to
   * do while it still waits.
   */
  async of<T>(run: Promise<T>, process: EndOfWork): Promise<T> {
    let idle = (): void => {};
    const nothingLeft = new Promise<never>((_, reject) => {
      idle = () => reject(this.#unfinished("nothing is left that could go on"));
    });
    process.once("beforeExit", idle);
    try {
      const result = await Promise.race([run, nothingLeft]);
      if (!this.#finished) throw this.#unfinished("its last event did not come");
      return result;
    } finally {
      process.off("beforeExit", idle);
    }
  }

  #unfinished(why: string): FurrowError {
    const awaited = [...this.#at].map(([host, task]) => `${host}: ${task}`);
    return new FurrowError("E_BUG", {
      what: `the run did not come to its end: ${why}`,
      details: awaited.length === 0 ? ["no play had begun"] : awaited.map((line) => `awaited ${line}`),
      hint: "Report this with the playbook; rerun, which does what is left",
    });
  }
}
