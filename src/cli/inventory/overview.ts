import type { MergedHost } from "../../load/vars/precedence.ts";
import type { Paint } from "../../report/text/colours.ts";
import { fewHosts, shortNames } from "../../report/fold/short-names.ts";
import { safeLine } from "../../report/text/value.ts";
import { padded, widthOf } from "../../report/text/width.ts";
import type { HostBook } from "../hosts.ts";

/** Lists all hosts of a group: many of them as ranges, such as `web001–web040`. */
function namesOf(hosts: readonly string[]): string {
  return hosts.length <= fewHosts ? hosts.join(", ") : shortNames(hosts, Number.POSITIVE_INFINITY);
}

/** Shows hosts with their addresses, groups with their hosts, and the hosts that inventory sources left out. */
export function overviewText(hosts: readonly MergedHost[], book: HostBook, paint: Paint): string {
  const shown = new Set(hosts.map(({ name }) => name));
  const width = Math.max(...hosts.map(({ name }) => widthOf(name)));
  const reached = hosts.map(({ name }) => {
    const { transport, address, port, user } = book.address(name);
    return transport === "ssh" || transport === "openssh"
      ? `${user}@${address}${port === 22 ? "" : `:${port}`}`
      : transport;
  });
  const column = Math.max(...reached.map(widthOf));
  const lines = hosts.map(({ name, groups }, index) =>
    `  ${padded(name, width)}  ${padded(reached[index] ?? "", column)}  ${paint.dim(groups.join(", "))}`.trimEnd(),
  );
  const groups = [...book.scope.groups].flatMap(([group, members]) => {
    const inside = [...members].filter((name) => shown.has(name));
    return inside.length === 0 ? [] : [`  ${group}  ${paint.dim(namesOf(inside))}`];
  });
  const groupBlock = groups.length === 0 ? [] : ["", paint.strong("groups"), ...groups];
  const { leftOut } = book.inventory;
  const outBlock =
    leftOut.length === 0
      ? []
      : [
          "",
          paint.strong("left out"),
          ...leftOut.map(({ host, reason }) => `  ${safeLine(host)}  ${paint.dim(safeLine(reason))}`),
        ];
  return `${[paint.strong("hosts"), ...lines, ...groupBlock, ...outBlock].join("\n")}\n`;
}
