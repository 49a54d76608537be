import * as onHost from "../on-host/travelling.ts";
import type { SessionIdentity } from "./shell-line.ts";

/** An order for the second shell of a session: see `Orders`. */
export type Order =
  | { readonly order: "stop" | "kill" | "renew" }
  /** `pid`: the session's shell, if known. */
  | { readonly order: "probe"; readonly pid: number | undefined };

const acts = { stop: onHost.orderStop, renew: onHost.orderRenew, kill: onHost.orderKill };

/** Compiles an order to one compound command (on-host/order.sh, on-host/probe.sh). */
export function orderScript(order: Order, { run, session }: SessionIdentity): string {
  const who = `R=${run} S=${session}`;
  if (order.order === "probe") return `{ ${who} P=${order.pid ?? ""}\n${onHost.probe}\n}\n`;
  return `{ ${who}\n${acts[order.order]}\n${onHost.order}\n}\n`;
}
