/**
 * An error that code throws to itself and nobody ever sees. It gathers no stack: it is thrown by the thousand, and the
 * stack would be most of what it costs.
 */
export class Unshown extends Error {
  constructor(message?: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
