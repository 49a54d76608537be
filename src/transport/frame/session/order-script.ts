import { order as carryOut } from "../on-host/sent/order.ts";
import { orderKill } from "../on-host/sent/order-kill.ts";
import { orderRenew } from "../on-host/sent/order-renew.ts";
import { orderStop } from "../on-host/sent/order-stop.ts";
import { probe } from "../on-host/sent/probe.ts";
import type { SessionIdentity } from "./shell-line.ts";

/** An order for the second shell of a session: see `Orders`. */
export type Order =
  | { readonly order: "stop" | "kill" | "renew" }
  /** `pid` is the process id of the session's shell, if known. */
  | { readonly order: "probe"; readonly pid: number | undefined };

const acts = { stop: orderStop, renew: orderRenew, kill: orderKill };

/** Compiles an order to one compound command (on-host/order.sh, on-host/probe.sh). */
export function orderScript(order: Order, { run, session }: SessionIdentity): string {
  const who = `R=${run} S=${session}`;
  if (order.order === "probe") return `{ ${who} P=${order.pid ?? ""}\n${probe}\n}\n`;
  return `{ ${who}\n${acts[order.order]}\n${carryOut}\n}\n`;
}
