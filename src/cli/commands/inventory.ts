import { defineCommand } from "citty";
import { FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/params.ts";
import { show } from "../../load/issues.ts";
import type { MergedHost, Settings } from "../../load/settings.ts";
import { paintFor } from "../../report/paint.ts";
import { type Extras, withRepeated } from "../arguments.ts";
import { flagsOf } from "../flags.ts";
import { type HostBook, openHostBook } from "../hosts.ts";
import { print, wantsColor } from "../terminal.ts";

/** `furrow inventory`. */
export const command = defineCommand({
  args: flagsOf.inventory,
  async run({ args, data }) {
    const book = await openHostBook(withRepeated(args, data), (data as Extras).vars, new AbortController().signal);
    const hosts = args.host === undefined ? book.limited("all") : [oneHost(args.host, book)];
    if (args.json) print(`${JSON.stringify({ schema: 1, hosts: hosts.map((host) => jsonHost(host, book)) })}\n`);
    else if (args.host === undefined) print(overviewText(hosts, book));
    else for (const host of hosts) print(hostText(host, book));
    return 0;
  },
});

function oneHost(name: string, book: HostBook): MergedHost {
  if (book.has(name)) return book.merged(name);
  const near = closest(name, book.scope.hosts);
  throw new FurrowError("E_PATTERN", {
    what: `the inventory ${book.inventory.label} has no host "${name}"`,
    hint: near === undefined ? "Run furrow inventory without --host to see all hosts" : `Write "${near}"`,
  });
}

function overviewText(hosts: readonly MergedHost[], book: HostBook): string {
  const paint = paintFor(wantsColor(process.stdout));
  const shown = new Set(hosts.map(({ name }) => name));
  const width = Math.max(...hosts.map(({ name }) => name.length));
  const reached = hosts.map(({ name }) => {
    const { transport, address, port, user } = book.address(name);
    return transport === "ssh" || transport === "openssh"
      ? `${user}@${address}${port === 22 ? "" : `:${port}`}`
      : transport;
  });
  const column = Math.max(...reached.map((text) => text.length));
  const lines = hosts.map(({ name, groups }, index) =>
    `  ${name.padEnd(width)}  ${(reached[index] ?? "").padEnd(column)}  ${paint.dim(groups.join(", "))}`.trimEnd(),
  );
  const groups = [...book.scope.groups].flatMap(([group, members]) => {
    const inside = [...members].filter((name) => shown.has(name));
    return inside.length === 0 ? [] : [`  ${group}  ${paint.dim(inside.join(", "))}`];
  });
  const groupBlock = groups.length === 0 ? [] : ["", paint.strong("groups"), ...groups];
  return `${[paint.strong("hosts"), ...lines, ...groupBlock].join("\n")}\n`;
}

function hostText(host: MergedHost, book: HostBook): string {
  const paint = paintFor(wantsColor(process.stdout));
  const rows = [...settingRows("", host.vars), ...settingRows("connection ", effective(host, book))];
  const name = Math.max(0, ...rows.map(([key]) => key.length));
  const value = Math.min(60, Math.max(0, ...rows.map(([, text]) => text.length)));
  const lines = rows.map(([key, text, origin]) => `  ${key.padEnd(name)}  ${text.padEnd(value)}  ${paint.dim(origin)}`);
  const groups = host.groups.length === 0 ? "in no group" : `in ${host.groups.join(", ")}`;
  return `${[`${paint.strong(host.name)}  ${paint.dim(groups)}`, ...lines].join("\n")}\n`;
}

/** The settings as said, and those that ssh_config or a default fills in. */
function effective(host: MergedHost, book: HostBook): Settings {
  const { transport, address, port, user, hostKeyPolicy, jump } = book.address(host.name);
  const filled: Record<string, unknown> = {
    transport,
    address,
    ...((transport === "ssh" || transport === "openssh") && { port, user, hostKeyPolicy }),
    ...(jump.length > 0 && { proxyJump: jump.map((hop) => `${hop.user}@${hop.address}:${hop.port}`).join(",") }),
  };
  const missing = Object.entries(filled).filter(([key]) => !(key in host.connection));
  return {
    ...host.connection,
    ...Object.fromEntries(missing.map(([key, value]) => [key, { value, origin: "ssh_config or default" }])),
  };
}

function settingRows(prefix: string, settings: Settings): [string, string, string][] {
  return Object.entries(settings).map(([key, { value, origin }]) => [prefix + key, show(value), origin]);
}

function jsonHost(host: MergedHost, book: HostBook): object {
  const plain = (settings: Settings): object =>
    Object.fromEntries(Object.entries(settings).map(([key, { value, origin }]) => [key, { value, origin }]));
  const { vars, groups, name } = host;
  return { name, groups, vars: plain(vars), connection: plain(effective(host, book)) };
}
