import type { MergedHost } from "../../load/vars/precedence.ts";
import type { Paint } from "../../report/text/colours.ts";
import type { HostBook } from "../hosts.ts";

/** Shows nested groups as a tree, each with its own hosts. A host appears under every group that lists it. */
export function graphText(hosts: readonly MergedHost[], book: HostBook, paint: Paint): string {
  const shown = new Set(hosts.map(({ name }) => name));
  const { groups = {} } = book.inventory.definition;
  const below = new Set(Object.values(groups).flatMap((group) => group.groups ?? []));
  const grouped = new Set(Object.values(groups).flatMap((group) => group.hosts ?? []));
  const roots = Object.keys(groups).filter((name) => !below.has(name));
  const alone = hosts.map(({ name }) => name).filter((name) => !grouped.has(name));
  const branch = (name: string): string[] => {
    const members = (groups[name]?.hosts ?? []).filter((host) => shown.has(host));
    return [paint.strong(name), ...twigs(groups[name]?.groups ?? [], members)];
  };
  const twigs = (names: readonly string[], members: readonly string[]): string[] => {
    const branches = [...names.map(branch), ...members.map((host) => [host])];
    return branches.flatMap((lines, index) => {
      const isLast = index === branches.length - 1;
      return lines.map((line, row) => {
        const lead = row === 0 ? (isLast ? "└─ " : "├─ ") : isLast ? "   " : "│  ";
        return paint.dim(lead) + line;
      });
    });
  };
  return `${[paint.strong("all"), ...twigs(roots, alone)].join("\n")}\n`;
}
