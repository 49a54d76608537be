/**
 * An error for internal control flow that no user sees. The error records no stack: thousands of these errors are
 * thrown, and recording their stacks would account for most of the cost.
 */
export class ControlFlowError extends Error {
  constructor(message?: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
