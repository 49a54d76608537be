import { hostname, userInfo } from "node:os";
import type { Driver } from "../core/host/driver.ts";

/**
 * The start of this process. All answers in a run must contain the same time; otherwise a want would differ each time
 * it is computed.
 */
const started = new Date();

/** Reports who is running furrow: the account and the machine, and the time at which this process started. */
export const operatorDriver: Driver = {
  name: "operator",
  read: () =>
    Promise.resolve({ who: `${accountName()}@${hostname()}`, since: `${started.toISOString().slice(0, 19)}Z` }),
  ahead: () => [],
};

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container can run under a user id that has no account.
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
