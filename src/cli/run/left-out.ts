import type { LeftOut } from "../../core/inventory/inventory-source.ts";
import { warn } from "../terminal.ts";

/** Prints the hosts that inventory sources left out, with the reasons, as one line on stderr. */
export function warnOfLeftOut(leftOut: readonly LeftOut[]): void {
  if (leftOut.length === 0) return;
  const shown = leftOut.slice(0, 5).map(({ host, reason }) => `${host} (${reason})`);
  const hidden = leftOut.length - shown.length;
  const more = hidden > 0 ? `, and ${hidden} more (see furrow inventory)` : "";
  warn(`left out of the inventory: ${shown.join(", ")}${more}`);
}
