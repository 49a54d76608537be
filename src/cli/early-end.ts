import { FurrowError } from "../core/errors.ts";
import { userFrame } from "../load/playbook/compile-error.ts";
import { isOwnEnd } from "./end-now.ts";
import { exitCodes } from "./exit-codes.ts";
import { printError } from "./terminal.ts";

/**
 * Makes the process fail, with an error, if it ends before the command has finished: because the user's code calls
 * `process.exit`, or because nothing is left to run. Returns a function to call when the command has finished.
 */
export function watchForEarlyEnd(command: string, json: boolean): () => void {
  const onExit = (code: number): void => {
    if (isOwnEnd()) return;
    process.exitCode = exitCodes.failed;
    printError(earlyEnd(command, code), json);
  };
  process.on("exit", onExit);
  return () => process.off("exit", onExit);
}

/** Must be called while the process exits: the stack shows who ended it. */
function earlyEnd(command: string, code: number): FurrowError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  const here = new Error("the end of the process");
  Error.stackTraceLimit = stackTraceLimit;
  const source = userFrame(here);
  if (!/^\s+at process\.(exit|reallyExit)\b/m.test(here.stack ?? "")) {
    return new FurrowError("E_BUG", {
      what: `furrow ${command} did not finish: nothing is left to run`,
      hint: "Look in your code for a promise that never settles; otherwise, report this bug",
    });
  }
  return new FurrowError("E_PLAYBOOK", {
    what: `your code ended furrow with process.exit(${code}) before furrow ${command} had finished`,
    ...(source !== undefined && { where: { source } }),
    hint:
      source === undefined
        ? "Look for process.exit in the playbook, the inventory and their imports, and throw an Error instead"
        : "Throw an Error there instead",
  });
}
