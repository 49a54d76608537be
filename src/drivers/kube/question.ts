const coming = new Set<Question>();
let waiting: (() => void)[] = [];

/**
 * A query for one object, until it waits for a list or finishes. Queries that start at the same moment need different
 * amounts of time for their kubeconfigs and kinds; once each of them waits or has finished, one list is read for all.
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

  /** Resolves when every query that has begun waits for a list or has finished. */
  static allArrived(): Promise<void> {
    return new Promise((resolve) => waiting.push(resolve));
  }
}
