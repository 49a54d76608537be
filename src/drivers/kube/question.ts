const coming = new Set<Question>();
let waiting: (() => void)[] = [];

/**
 * A query for one object, until it waits for a list or finishes. Queries that start at the same moment take different
 * times to read their kubeconfigs and find their kinds. Once each of them is waiting or has finished, one list is read
 * for all the waiting queries.
 */
export class Question {
  constructor() {
    coming.add(this);
  }

  /** Records that the query is waiting for a list or has finished. */
  arrive(): void {
    coming.delete(this);
    if (coming.size > 0) return;
    const ready = waiting;
    waiting = [];
    for (const begin of ready) begin();
  }

  /** Resolves when every query that has begun is waiting for a list or has finished. */
  static allArrived(): Promise<void> {
    return new Promise((resolve) => waiting.push(resolve));
  }
}
