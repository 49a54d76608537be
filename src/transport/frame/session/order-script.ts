import * as onHost from "../on-host/travelling.ts";
import type { SessionIdentity } from "./shell-line.ts";

/** What a shell beside a frame is to do: see `Orders`. */
export type Order =
  | { readonly order: "stop" | "kill" | "renew" }
  /** `pid`: the shell of the session, where it is known. */
  | { readonly order: "probe"; readonly pid: number | undefined };

const acts = { stop: onHost.orderStop, renew: onHost.orderRenew, kill: onHost.orderKill };

/** An order as one compound command (on-host/order.sh, on-host/probe.sh). */
export function orderScript(order: Order, { run, session }: SessionIdentity): string {
  const who = `R=${run} S=${session}`;
  if (order.order === "probe") return `{ ${who} P=${order.pid ?? ""}\n${onHost.probe}\n}\n`;
  return `{ ${who}\n${acts[order.order]}\n${onHost.order}\n}\n`;
}
