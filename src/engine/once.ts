import { FurrowError } from "../core/errors.ts";

interface Shared {
  readonly owner: string;
  readonly done: Promise<void>;
  readonly settle: (error?: FurrowError) => void;
}

/**
 * Groups that run on one host while the others wait. The first host to arrive settles who runs it: the first of the
 * wished hosts that still runs, else the one that arrived.
 */
export class OnceGroups {
  readonly #groups = new Map<string, Shared>();
  readonly #running = new Set<string>();

  enter(host: string): void {
    this.#running.add(host);
  }

  /** A host has ended: a group it owned and did not finish fails for those who wait. */
  leave(host: string): void {
    this.#running.delete(host);
    for (const [id, group] of this.#groups) {
      if (group.owner === host) group.settle(notDone(id, host));
    }
  }

  /** Runs `act` where `host` owns the group, else waits for the owner. Throws what the owner failed with. */
  async run(id: string, wished: string | undefined, host: string, act: () => Promise<void>): Promise<void> {
    const group =
      this.#groups.get(id) ?? this.#claim(id, wished !== undefined && this.#running.has(wished) ? wished : host);
    if (group.owner !== host) return group.done;
    try {
      await act();
      group.settle();
    } catch (error) {
      group.settle(notDone(id, host));
      throw error;
    }
  }

  #claim(id: string, owner: string): Shared {
    let settle: (error?: FurrowError) => void = () => {};
    const done = new Promise<void>((resolve, reject) => {
      settle = (error) => (error ? reject(error) : resolve());
    });
    done.catch(() => {});
    const group = { owner, done, settle };
    this.#groups.set(id, group);
    return group;
  }
}

function notDone(id: string, owner: string): FurrowError {
  return new FurrowError("E_STEP", {
    what: `the tasks that run once, on ${owner}, did not come to their end there`,
    hint: `Mend what failed on ${owner} and run again`,
    details: [`group ${id}`],
  });
}
