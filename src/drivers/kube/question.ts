const coming = new Set<Question>();
let waiting: (() => void)[] = [];

/**
 * A question about one object, until it waits for a list or ends. Questions that are asked at the same moment need
 * different times for their kubeconfigs and kinds; a list for all of them is read when all have arrived.
 */
export class Question {
  constructor() {
    coming.add(this);
  }

  /** Says that the question waits for a list or has ended. */
  arrive(): void {
    coming.delete(this);
    if (coming.size > 0) return;
    const ready = waiting;
    waiting = [];
    for (const begin of ready) begin();
  }

  /** Resolves when all questions that have begun have arrived. */
  static allArrived(): Promise<void> {
    return new Promise((resolve) => waiting.push(resolve));
  }
}
