const coming = new Set<Question>();
let waiting: (() => void)[] = [];

/**
 * A query for one object, up to the moment at which it waits for a list or finishes. Queries that start at the same
 * moment need different amounts of time for their kubeconfigs and kinds; one list for all is read when all have
 * arrived.
 */
export class Question {
  constructor() {
    coming.add(this);
  }

  /** Records that the query waits for a list or has finished. */
  arrive(): void {
    coming.delete(this);
    if (coming.size > 0) return;
    const ready = waiting;
    waiting = [];
    for (const begin of ready) begin();
  }

  /** Resolves when all queries that have begun have arrived. */
  static allArrived(): Promise<void> {
    return new Promise((resolve) => waiting.push(resolve));
  }
}
