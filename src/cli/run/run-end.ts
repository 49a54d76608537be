import { FurrowError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/events.ts";

/** The part of Node's `process` that reports an empty event loop. */
interface EndOfWork {
  once(event: "beforeExit", listener: () => void): unknown;
  off(event: "beforeExit", listener: () => void): unknown;
}

/**
 * Makes sure that a run is complete: the exit code is determined only after the last event, `runFinished`. Follows all
 * events, so that it can report what each host was waiting for if the run ends early.
 */
export class RunEnd {
  readonly #at = new Map<string, string>();
  #finished = false;

  /** Handles an event; events must arrive in order. */
  take(event: RunEvent): void {
    switch (event.type) {
      case "playStarted":
        for (const host of event.hosts) this.#at.set(host, "its first task");
        break;
      case "taskStarted":
        this.#at.set(event.host, event.task.title);
        break;
      case "taskFinished":
        this.#at.set(event.host, `the task after ${event.task.title}`);
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
   * Waits for a run and returns its result. Throws FurrowError E_BUG if the run ends without `runFinished`, or if the
   * process has nothing left to do while the run is still waiting.
   */
  async of<T>(run: Promise<T>, process: EndOfWork): Promise<T> {
    let idle = (): void => {};
    const nothingLeft = new Promise<never>((_, reject) => {
      idle = () => reject(this.#unfinished("nothing is left to run"));
    });
    process.once("beforeExit", idle);
    try {
      const result = await Promise.race([run, nothingLeft]);
      if (!this.#finished) throw this.#unfinished("its last event is missing");
      return result;
    } finally {
      process.off("beforeExit", idle);
    }
  }

  #unfinished(why: string): FurrowError {
    const awaited = [...this.#at].map(([host, task]) => `${host}: ${task}`);
    return new FurrowError("E_BUG", {
      what: `the run did not finish: ${why}`,
      details: awaited.length === 0 ? ["no play had started"] : awaited.map((line) => `was waiting for ${line}`),
      hint: "Report this bug, with the playbook; rerun to finish the work",
    });
  }
}
